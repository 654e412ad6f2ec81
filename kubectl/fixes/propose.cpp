#include "kubectl/fixes/propose.hpp"

#include "kubectl/fixes/proposing.hpp"
#include "server/text/json_text.hpp"
#include "webhook/read/vocabulary.hpp"

#include <algorithm>
#include <array>

namespace tpuwh::server::fixes {

namespace {

namespace key = webhook::read::key;

// ---- who a Pod is

Tiers indexed(const Asked& asked) {
  Steps alone, with_pods;
  for (const PodTemplate& each : asked.all) {
    if (each.maker() != Maker::job && each.maker() != Maker::jobset) continue;
    const Path path = each.holder() / "completionMode";
    if (each.text(path) == "Indexed") continue;
    alone.emplace_back(set(path, "Indexed"));
    with_pods.emplace_back(set(path, "Indexed"));
    if (const auto hosts = each.hosts()) set_pods(each, *hosts, with_pods);
  }
  return {{alone}, {with_pods}};
}

void remove_annotation(const Asked& asked, std::string_view name, Steps& steps) {
  for (const PodTemplate& each : asked.all) {
    const Path path = each.annotation(asked.subject.prefix + std::string(name));
    if (each.value(path) != nullptr) steps.emplace_back(removal(path));
  }
}

// The numbers and the selected topology say one thing, and the annotation another; or the topology
// is the odd one.
Tiers size_statements(const Asked& asked) {
  Tier tier(1);
  remove_annotation(asked, "worker-count", tier.front());
  if (asked.all.size() == 1)
    for (Steps& steps : topologies_of_pods(asked.all.front())) tier.push_back(std::move(steps));
  return {tier, size_proposals(asked).front()};
}

Tiers names(const Asked& asked) {
  Steps steps;
  for (const PodTemplate& each : asked.all)
    if (each.value(each.spec("hostname")) != nullptr)
      steps.emplace_back(removal(each.spec("hostname")));
  remove_annotation(asked, "hostnames", steps);
  return {{steps}};
}

// "train-0.train" of "http://train-0.train/".
Tiers coordinator(const Asked& asked) {
  Steps steps;
  for (const PodTemplate& each : asked.all) {
    const Path path = each.annotation(asked.subject.prefix + "coordinator");
    const std::string text = each.text(path);
    const auto scheme = text.find("://");
    if (scheme == std::string::npos) continue;
    const std::string rest = text.substr(scheme + 3);
    steps.emplace_back(set(path, rest.substr(0, rest.find('/'))));
  }
  return {{steps}};
}

Tiers name_servers(const Asked& asked) {
  Steps steps;
  for (const PodTemplate& each : asked.all) {
    const Json* host_network = each.value(each.spec("hostNetwork"));
    const bool of_node = host_network != nullptr && *host_network == Json(true);
    const char* right = of_node ? "ClusterFirstWithHostNet" : "ClusterFirst";
    const std::string policy = each.text(each.spec("dnsPolicy"));
    if (each.asks_for_tpu() && policy != right && (of_node || !policy.empty()))
      steps.emplace_back(set(each.spec("dnsPolicy"), right));
  }
  const Path published("/spec/network/publishNotReadyAddresses");
  const Json& object = asked.subject.object;
  if (object.contains(published) && object.at(published) == Json(false))
    steps.emplace_back(set(published, true));
  return {{steps}};
}

// ---- what the API server refuses of a template

bool is_of_job(const PodTemplate& each) {
  return each.maker() == Maker::job || each.maker() == Maker::jobset;
}

bool is_of_replicas(const PodTemplate& each) {
  return each.maker() == Maker::deployment || each.maker() == Maker::stateful_set ||
         each.maker() == Maker::lws_leader || each.maker() == Maker::lws_workers;
}

// onExitCodes of a container that is not there, where there is one alone.
void name_policy_container(const PodTemplate& each, Steps& steps) {
  const Path rules = each.holder() / "podFailurePolicy" / "rules";
  const Json* all = each.value(rules);
  if (all == nullptr || !all->is_array() || each.containers().size() != 1) return;
  const std::string only = text::text_member(*each.containers().front().value, "name");
  for (std::size_t i = 0; i < all->size(); ++i) {
    const Path path = rules / i / "onExitCodes" / "containerName";
    if (const std::string named = each.text(path); !named.empty() && named != only)
      steps.emplace_back(set(path, only));
  }
}

// The API server takes a limit alone for both.
void set_limits(const PodTemplate& each, Steps& steps) {
  for (const Container& container : each.containers()) {
    const Path resources = container.path / "resources";
    const Json* request = each.value(resources / "requests" / std::string(key::tpu));
    const Path limit = resources / "limits" / std::string(key::tpu);
    if (request != nullptr && each.value(limit) == nullptr)
      steps.emplace_back(set(limit, *request));
  }
}

// Of a Job's Pods two policies are right, where it has no failure policy.
Steps refused_fields(const Asked& asked, const char* policy) {
  Steps steps;
  for (const PodTemplate& each : asked.all) {
    const Path path = each.spec("restartPolicy");
    const std::string now = each.text(path);
    set_limits(each, steps);
    if (is_of_replicas(each)) {
      if (!now.empty() && now != "Always") steps.emplace_back(removal(path));
      const Path deadline = each.spec("activeDeadlineSeconds");
      if (each.value(deadline) != nullptr) steps.emplace_back(removal(deadline));
    }
    if (!is_of_job(each)) continue;
    const bool must_be_never = each.value(each.holder() / "podFailurePolicy") != nullptr;
    const bool by_default = now.empty() && each.maker() == Maker::jobset;
    const bool fine =
        must_be_never ? now == "Never" : by_default || now == "Never" || now == "OnFailure";
    if (!fine) steps.emplace_back(set(path, must_be_never ? "Never" : policy));
    name_policy_container(each, steps);
    const Path completions = each.holder() / "completions";
    const auto parallelism = each.number(each.holder() / "parallelism");
    const bool counts =
        each.maker() == Maker::jobset || each.text(each.holder() / "completionMode") == "Indexed";
    if (counts && parallelism && each.value(completions) == nullptr)
      steps.emplace_back(set(completions, *parallelism));
  }
  return steps;
}

bool is_said(const Asked& asked, std::string_view part) {
  return std::ranges::any_of(asked.sentences, [&](const std::string& each) {
    return each.find(part) != std::string::npos;
  });
}

Tiers refused(const Asked& asked) {
  Tier tier;
  for (const char* policy : {"Never", "OnFailure"}) {
    Steps steps = refused_fields(asked, policy);
    if (is_said(asked, "selector does not match"))
      for (const PodTemplate& each : asked.all)
        if (is_of_job(each) && each.value(each.holder() / "selector") != nullptr)
          steps.emplace_back(removal(each.holder() / "selector"));
    tier.push_back(std::move(steps));
  }
  return {tier};
}

// ---- in which order Pods are made

Tiers order(const Asked& asked) {
  const std::string kind = text::text_member(asked.subject.object, "kind");
  const Path in_order("/spec/startupPolicy/startupPolicyOrder");
  Steps steps;
  if (kind == "StatefulSet") steps.emplace_back(set(Path("/spec/podManagementPolicy"), "Parallel"));
  if (kind == "LeaderWorkerSet")
    steps.emplace_back(set(Path("/spec/startupPolicy"), "LeaderCreated"));
  if (kind == "JobSet" && asked.subject.object.contains(in_order))
    steps.emplace_back(set(in_order, "AnyOrder"));
  return {{steps}};
}

// ---- variables

// The last of a list first, so that each path is right when its turn comes.
template <class F>
Steps remove_variables(const Asked& asked, F&& is_meant) {
  Steps steps;
  for (const PodTemplate& each : asked.all)
    for (const Container& container : each.containers()) {
      const Json& env = text::member(*container.value, "env");
      if (!container.asks_for_tpu || !env.is_array()) continue;
      for (std::size_t i = env.size(); i-- > 0;) {
        const std::string name = text::text_member(env[i], "name");
        if (is_meant(name, text::text_member(*container.value, "name")))
          steps.emplace_back(removal(container.path / "env" / i, name));
      }
    }
  return steps;
}

// Proposes to remove the variable that the finding names, or else all variables of the sets,
// because a finding names only one variable of a set, and other variables may contradict, too. Of
// the variables by which slices meet (MEGASCALE_*), only an empty one is removed, because the value
// of another job may be intended.
Tiers kept(const Asked& asked) {
  const auto said = [&](const std::string& name, const std::string& container) {
    const std::string sentence = name + " of container " + container + " is ";
    return name.starts_with("MEGASCALE_") ? is_said(asked, sentence + "empty")
                                          : is_said(asked, sentence);
  };
  const auto of_set = [](const std::string& name, const std::string&) {
    return !name.starts_with("MEGASCALE_") && webhook::read::find_variable(name);
  };
  return {{remove_variables(asked, said)}, {remove_variables(asked, of_set)}};
}

Tiers ports(const Asked& asked) {
  return {{remove_variables(asked, [](const std::string& name, const std::string&) {
    return name == "TPU_PROCESS_PORT";
  })}};
}

Tiers jax(const Asked& asked) {
  return {{remove_variables(asked, [](const std::string& name, const std::string&) {
    return name == "JAX_NUM_PROCESSES" || name == "JAX_PROCESS_ID";
  })}};
}

// ---- what no node fits

Tiers no_node(const Asked& asked) {
  Steps steps;
  if (is_said(asked, "init container "))
    for (const PodTemplate& each : asked.all)
      for (const Container& container : each.containers())
        if (container.init && container.asks_for_tpu)
          for (const char* list : {"limits", "requests"}) {
            const Path path = container.path / "resources" / list / std::string(key::tpu);
            if (each.value(path) != nullptr) steps.emplace_back(removal(path));
          }
  return {{steps}};
}

struct Row {
  std::string_view id;
  Tiers (*propose)(const Asked&);
};

// What is not here is a choice: a name, a reservation, who places Pods, what is in a file.
constexpr std::array rows{Row{"TPU-102", other_topology_proposals},
                          Row{"TPU-103", chips_proposals},
                          Row{"TPU-104", chips_proposals},
                          Row{"TPU-105", missing_topology_proposals},
                          Row{"TPU-106", other_topology_proposals},
                          Row{"TPU-107", accelerator_proposals},
                          Row{"TPU-108", chips_proposals},
                          Row{"TPU-201", size_proposals},
                          Row{"TPU-202", indexed},
                          Row{"TPU-203", size_statements},
                          Row{"TPU-204", names},
                          Row{"TPU-205", coordinator},
                          Row{"TPU-302", subdomain_proposals},
                          Row{"TPU-303", name_servers},
                          Row{"TPU-401", size_proposals},
                          Row{"TPU-404", size_proposals},
                          Row{"TPU-405", size_proposals},
                          Row{"TPU-406", size_proposals},
                          Row{"TPU-407", size_proposals},
                          Row{"TPU-409", replicas_proposals},
                          Row{"TPU-410", indexed},
                          Row{"TPU-412", refused},
                          Row{"TPU-413", order},
                          Row{"TPU-502", kept},
                          Row{"TPU-503", ports},
                          Row{"TPU-504", ports},
                          Row{"jax", jax},
                          Row{"no-node", no_node},
                          Row{"no-service", service_proposals}};

// Ways of which each is another one than those in `seen`, and does something.
Tier distinct(Tier tier, std::vector<Json>& seen) {
  Tier out;
  for (Steps& steps : tier) {
    Json text = json(Fix(steps));
    if (steps.empty() || std::ranges::find(seen, text) != seen.end()) continue;
    seen.push_back(std::move(text));
    out.push_back(std::move(steps));
  }
  return out;
}

}  // namespace

Tiers proposals(const Subject& subject, std::string_view id,
                const std::vector<std::string>& sentences) {
  const auto* row = std::ranges::find(rows, id, &Row::id);
  if (row == rows.end()) return {};
  Tiers out;
  std::vector<Json> seen;
  for (Tier& tier : row->propose({subject, sentences, templates_of(subject.object)}))
    if (Tier some = distinct(std::move(tier), seen); !some.empty()) out.push_back(std::move(some));
  return out;
}

}  // namespace tpuwh::server::fixes
