#include "webhook/read/pod.hpp"

#include "base/concat.hpp"
#include "base/json/optional.hpp"
#include "base/names.hpp"
#include "base/result.hpp"
#include "webhook/findings/errc.hpp"
#include "webhook/read/affinity.hpp"
#include "webhook/read/chips.hpp"
#include "webhook/read/selector_order.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace tpuwh::webhook::read {

namespace {

bool read_labels(base::json::Reader& in, std::string_view prefix, Pod& pod) {
  if (in.take_null()) return true;
  pod.labels = Presence::present;
  return in.object([&](std::string_view key) {
    const auto label = find_label(key, prefix);
    if (!label) return in.skip();
    if (pod.label_values.has(*label)) return in.fail(base::Errc::duplicate_key, "duplicate key");
    std::string_view value;
    const bool read = base::json::optional_text(in, value);
    pod.label_values.set(*label, value);
    return read;
  });
}

bool read_annotations(base::json::Reader& in, std::string_view prefix, Pod& pod) {
  if (in.take_null()) return true;
  pod.annotations = Presence::present;
  return in.object([&](std::string_view key) {
    const auto annotation = find_annotation(key, prefix);
    if (!annotation) return in.skip();
    if (pod.annotation_values.has(*annotation))
      return in.fail(base::Errc::duplicate_key, "duplicate key");
    std::string_view value;
    const bool read = base::json::optional_text(in, value);
    pod.annotation_values.set(*annotation, value);
    return read;
  });
}

bool read_owners(base::json::Reader& in, Pod& pod) {
  if (in.take_null()) return true;
  bool have_controller = false;
  return in.array([&](std::size_t index) {
    Owner owner;
    bool controller = false;
    const bool read = in.object([&](std::string_view key, base::json::Seen& seen) {
      if (key == "kind") return in.first(seen, 0) && in.string(owner.kind);
      if (key == "name") return in.first(seen, 1) && in.string(owner.name);
      if (key == "uid") return in.first(seen, 2) && in.string(owner.uid);
      if (key == "controller")
        return in.first(seen, 3) && base::json::optional_flag(in, controller);
      return in.skip();
    });
    if (read && (index == 0 || (controller && !have_controller))) pod.owner = owner;
    have_controller = have_controller || controller;
    return read;
  });
}

bool read_metadata(base::json::Reader& in, std::string_view prefix, Pod& pod) {
  return in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "name") return in.first(seen, 0) && base::json::optional_text(in, pod.name);
    if (key == "generateName")
      return in.first(seen, 1) && base::json::optional_text(in, pod.generate_name);
    if (key == "namespace") return in.first(seen, 2) && base::json::optional_text(in, pod.ns);
    if (key == "labels") return in.first(seen, 3) && read_labels(in, prefix, pod);
    if (key == "annotations") return in.first(seen, 4) && read_annotations(in, prefix, pod);
    if (key == "ownerReferences") return in.first(seen, 5) && read_owners(in, pod);
    return in.skip();
  });
}

bool read_node_selector(base::json::Reader& in, Pod& pod) {
  if (in.take_null()) return true;
  const bool read = in.object([&](std::string_view key) {
    Selector selector{key, {}};
    return base::json::optional_text(in, selector.value) && keep(in, pod.node_selector, selector);
  });
  // So that nothing of it is compared with everything else.
  sort_by_key(pod.node_selector);
  const auto twice = std::ranges::adjacent_find(pod.node_selector, {}, &Selector::key);
  if (!read || twice == pod.node_selector.end()) return read;
  in.fail(base::Errc::duplicate_key, "duplicate key");
  in.within(base::printable(twice->key));
  return false;
}

bool read_gates(base::json::Reader& in, Pod& pod) {
  if (in.take_null()) return true;
  return in.array([&](std::size_t) {
    if (in.take_empty_object()) return true;
    return in.object([&](std::string_view key, base::json::Seen& seen) {
      if (key != "name") return in.skip();
      std::string_view gate;
      if (!in.first(seen, 0) || !in.string(gate)) return false;
      pod.kueue_gate = pod.kueue_gate || gate.starts_with(key::kueue_gate_prefix);
      return true;
    });
  });
}

bool read_tolerations(base::json::Reader& in, Pod& pod) {
  if (in.take_null()) return true;
  return in.array([&](std::size_t) {
    Toleration toleration;
    const bool read =
        in.take_empty_object() || in.object([&](std::string_view key, base::json::Seen& seen) {
          if (key == "key")
            return in.first(seen, 0) && base::json::optional_text(in, toleration.key);
          if (key == "operator")
            return in.first(seen, 1) && base::json::optional_text(in, toleration.op);
          if (key == "value")
            return in.first(seen, 2) && base::json::optional_text(in, toleration.value);
          if (key == "effect")
            return in.first(seen, 3) && base::json::optional_text(in, toleration.effect);
          return in.skip();
        });
    return read && keep(in, pod.tolerations, toleration);
  });
}

// A quantity is a string in what the API server sends and may be a number in what
// a user wrote.
bool read_quantity(base::json::Reader& in, std::string_view& text) {
  const base::json::ValueKind kind = in.kind();
  if (kind != base::json::ValueKind::string && kind != base::json::ValueKind::number)
    return in.fail_type("a quantity such as \"4\"");
  return kind == base::json::ValueKind::string ? in.string(text) : in.number(text);
}

// Of a container's resources the list that is called `list`.
bool read_tpu_of(base::json::Reader& in, std::string_view list, Container& container,
                 std::optional<std::uint64_t>& out, Pod& pod) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    const bool known = asks_for_chips(key);
    if (!known && (list != "limits" || key.find('/') == key.npos)) return in.skip();
    if ((known && !in.first(seen, key == key::tpu ? 0 : 1)) || in.take_null()) return !in.failed();
    std::string_view text;
    if (!read_quantity(in, text)) return false;
    if (!known) return keep(in, pod.resources, {key, text});
    container.by_claim = container.by_claim || key != key::tpu;
    const auto chips = chip_count(text);
    if (chips)
      out = out.value_or(0) + *chips;
    else if (!pod.bad_chips)
      pod.bad_chips = {chips.error(), key, list, container.index, container.init};
    return true;
  });
}

bool read_claim_use(base::json::Reader& in, Pod& pod) {
  std::string_view name;
  const bool read = in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "name") return in.first(seen, 0) && base::json::optional_text(in, name);
    return in.skip();
  });
  return read && keep(in, pod.claim_uses, name);
}

bool read_claim_uses(base::json::Reader& in, Container& container, Pod& pod) {
  if (in.take_null()) return true;
  container.claims_begin = static_cast<std::uint32_t>(pod.claim_uses.size());
  const bool read = in.array([&](std::size_t) { return read_claim_use(in, pod); });
  container.claims_end = static_cast<std::uint32_t>(pod.claim_uses.size());
  return read;
}

bool read_claims(base::json::Reader& in, Pod& pod) {
  if (in.take_null()) return true;
  return in.array([&](std::size_t index) {
    Claim claim;
    claim.index = static_cast<std::uint32_t>(index);
    const bool read =
        in.take_empty_object() || in.object([&](std::string_view key, base::json::Seen& seen) {
          if (key == "name") return in.first(seen, 0) && base::json::optional_text(in, claim.name);
          if (key == "resourceClaimTemplateName")
            return in.first(seen, 1) && base::json::optional_text(in, claim.template_name);
          if (key == "resourceClaimName")
            return in.first(seen, 2) && base::json::optional_text(in, claim.claim_name);
          return in.skip();
        });
    return read && keep(in, pod.claims, claim);
  });
}

bool read_resources(base::json::Reader& in, Container& container, Pod& pod) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "limits") {
      container.resources_begin = static_cast<std::uint32_t>(pod.resources.size());
      const bool read = in.first(seen, 0) && read_tpu_of(in, key, container, container.limit, pod);
      container.resources_end = static_cast<std::uint32_t>(pod.resources.size());
      return read;
    }
    if (key == "requests")
      return in.first(seen, 1) && read_tpu_of(in, key, container, container.request, pod);
    if (key == "claims") return in.first(seen, 2) && read_claim_uses(in, container, pod);
    return in.skip();
  });
}

// Values of variables that nobody here reads may be long (certificates, JSON), so
// a value is decoded only when its name turns out to be one of ours. Member order
// is not promised, so the value's place is kept until then.
bool read_env_entry(base::json::Reader& in, std::uint32_t index, Container& container, Pod& pod) {
  std::string_view name;
  base::json::RawString value;
  bool has_value = false, has_from = false;
  const bool read = in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "name") return in.first(seen, 0) && in.string(name);
    if (key == "value") {
      if (!in.first(seen, 1) || in.take_null()) return !in.failed();
      has_value = true;
      return in.raw_string(value);
    }
    if (key == "valueFrom") {
      if (!in.first(seen, 2) || in.take_null()) return !in.failed();
      has_from = true;
    }
    return in.skip();
  });
  if (!read) return false;
  const auto variable = find_variable(name);
  if (!variable) return true;
  EnvEntry entry{
      *variable, has_from ? EnvSource::value_from : EnvSource::literal, has_value, index, {}};
  if (has_value && !in.decode(value, entry.value)) return false;
  container.variables |= 1u << static_cast<unsigned>(*variable);
  return keep(in, pod.entries, entry);
}

bool read_env(base::json::Reader& in, Container& container, Pod& pod) {
  if (in.take_null()) return true;
  container.env = Presence::present;
  container.entries_begin = static_cast<std::uint32_t>(pod.entries.size());
  const bool read = in.array([&](std::size_t index) {
    return read_env_entry(in, static_cast<std::uint32_t>(index), container, pod);
  });
  container.entries_end = static_cast<std::uint32_t>(pod.entries.size());
  return read;
}

// Not in the loop of its list, which is quicker over "{}" without it.
[[gnu::noinline]] bool read_container(base::json::Reader& in, Container& container, Pod& pod) {
  return in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "name") return in.first(seen, 0) && in.string(container.name);
    if (key == "env") return in.first(seen, 1) && read_env(in, container, pod);
    if (key == "resources") return in.first(seen, 2) && read_resources(in, container, pod);
    if (key == "restartPolicy") {
      std::string_view policy;
      if (!in.first(seen, 3) || !base::json::optional_text(in, policy)) return false;
      container.sidecar = container.init && policy == "Always";
      return true;
    }
    return in.skip();
  });
}

bool read_containers(base::json::Reader& in, bool init, Pod& pod) {
  if (in.take_null()) return true;
  return in.array([&](std::size_t index) {
    if (pod.containers.size() == pod.containers.capacity()) [[unlikely]]
      make_room(pod.containers);
    // In its place: of "{}", again and again, a copy would take longer than reading.
    Container& container = pod.containers.emplace_back();
    container.init = init;
    container.index = static_cast<std::uint32_t>(index);
    if (!in.take_empty_object() && !read_container(in, container, pod)) return false;
    return pod.containers.size() <= max_elements || too_many_elements(in);
  });
}

bool read_priority(base::json::Reader& in, Pod& pod) {
  if (in.take_null()) return true;
  std::string_view text;
  if (!in.number(text)) return false;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), pod.priority);
  if (error != std::errc() || end != text.end())
    return in.fail(base::Errc::bad_value, base::printable(text) + " is not a 32-bit whole number");
  return true;
}

// Go writes initContainers first; nothing promises either order.
void put_init_last(std::vector<Container>& containers) {
  const auto first_main =
      std::ranges::find_if(containers, [](const Container& c) { return !c.init; });
  if (first_main != containers.end()) std::rotate(containers.begin(), first_main, containers.end());
}

// Of dnsConfig its search path.
bool read_dns_config(base::json::Reader& in, Pod& pod) {
  if (in.take_null()) return true;
  pod.searches_begin = static_cast<std::uint32_t>(pod.values.size());
  const bool read = in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key != "searches") return in.skip();
    if (!in.first(seen, 0)) return false;
    return in.take_null() || in.array([&](std::size_t) {
      std::string_view domain;
      return in.string(domain) && keep(in, pod.values, domain);
    });
  });
  pod.searches_end = static_cast<std::uint32_t>(pod.values.size());
  return read;
}

bool read_spec(base::json::Reader& in, Pod& pod) {
  if (in.take_null()) return true;
  const bool read = in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "containers") return in.first(seen, 0) && read_containers(in, false, pod);
    if (key == "initContainers") return in.first(seen, 1) && read_containers(in, true, pod);
    if (key == "nodeSelector") return in.first(seen, 2) && read_node_selector(in, pod);
    if (key == "affinity") return in.first(seen, 3) && read_affinity(in, pod);
    if (key == "hostname") return in.first(seen, 4) && base::json::optional_text(in, pod.hostname);
    if (key == "subdomain")
      return in.first(seen, 5) && base::json::optional_text(in, pod.subdomain);
    if (key == "hostnameOverride")
      return in.first(seen, 6) && base::json::optional_text(in, pod.hostname_override);
    if (key == "dnsPolicy")
      return in.first(seen, 7) && base::json::optional_text(in, pod.dns_policy);
    if (key == "hostNetwork")
      return in.first(seen, 8) && base::json::optional_flag(in, pod.host_network);
    if (key == "priority") return in.first(seen, 9) && read_priority(in, pod);
    if (key == "schedulingGates") return in.first(seen, 10) && read_gates(in, pod);
    if (key == "schedulingGroup") {
      pod.scheduling_group = in.kind() != base::json::ValueKind::null;
      return in.first(seen, 11) && in.skip();
    }
    if (key == "resourceClaims") return in.first(seen, 12) && read_claims(in, pod);
    if (key == "tolerations") return in.first(seen, 13) && read_tolerations(in, pod);
    if (key == "dnsConfig") return in.first(seen, 14) && read_dns_config(in, pod);
    return in.skip();
  });
  put_init_last(pod.containers);
  return read;
}

}  // namespace

bool too_many_elements(base::json::Reader& in) {
  return in.fail(base::Errc::too_large, "more than " + std::to_string(max_elements) + " elements");
}

const EnvEntry* Pod::last_entry(const Container& container, Variable variable) const {
  for (std::uint32_t i = container.entries_end; i > container.entries_begin; --i)
    if (entries[i - 1].variable == variable) return &entries[i - 1];
  return nullptr;
}

std::array<std::string_view, 6> BadChips::path_of(std::string_view number) const {
  return {init ? "spec.initContainers[" : "spec.containers[",
          number,
          "].resources.",
          list,
          ".",
          resource};
}

std::string BadChips::path() const {
  const std::string number = std::to_string(container);
  const auto parts = path_of(number);
  return base::concat({parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]});
}

void Pod::clear() {
  static_cast<PodMembers&>(*this) = {};
  label_values.clear();
  annotation_values.clear();
  node_selector.clear();
  containers.clear();
  entries.clear();
  tolerations.clear();
  claims.clear();
  claim_uses.clear();
  resources.clear();
  node_terms.clear();
  pod_terms.clear();
  requirements.clear();
  pins.clear();
  values.clear();
  bad_chips.reset();
}

bool read_pod(base::json::Reader& in, std::string_view prefix, Pod& pod) {
  pod.clear();
  return read_into_empty_pod(in, prefix, pod);
}

bool read_into_empty_pod(base::json::Reader& in, std::string_view prefix, Pod& pod) {
  base::json::Seen seen = 0;
  const bool read = in.object([&](std::string_view key) {
    if (key == "metadata") return in.first(seen, 0) && read_metadata(in, prefix, pod);
    if (key == "spec") return in.first(seen, 1) && read_spec(in, pod);
    return in.skip();
  });
  // A patch below a missing parent does not apply. The API server always sends it.
  if (read && (seen & 1u) == 0) {
    in.fail(base::Errc::bad_value, "missing; a Pod must have metadata");
    in.within("metadata");
    return false;
  }
  if (!read || !pod.bad_chips) return read;
  in.fail(findings::Errc::not_chips, pod.bad_chips->what.message());
  in.within(pod.bad_chips->path());
  return false;
}

bool read_pod_template(base::json::Reader& in, std::string_view prefix, Pod& pod) {
  pod.clear();
  if (in.take_null() || in.take_empty_object()) return true;
  return in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "metadata")
      return in.first(seen, 0) && (in.take_null() || read_metadata(in, prefix, pod));
    if (key == "spec") return in.first(seen, 1) && read_spec(in, pod);
    return in.skip();
  });
}

}  // namespace tpuwh::webhook::read
