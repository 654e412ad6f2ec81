#include "kubectl/policy/rules_cel.hpp"

#include "kubectl/reference/ids/policy_rows.hpp"
#include "kubectl/team_rules/judge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::policy {

namespace {

using team_rules::Capacity;
using team_rules::Rule;
using team_rules::Rules;

// CEL that lists the Pod templates in which a container asks for chips. asked_cel() replaces the
// placeholder @run@ with run_members and the placeholder @kept@ with kept_run_members, or removes
// both placeholders.
constexpr std::string_view asked = R"(variables.templates.map(all, all.filter(t,
  t.pod.spec.containers.exists(c, @in_limits@) ||
  t.pod.spec.?initContainers.orValue([]).exists(c, @in_limits@)
).map(t, {
  'title': dyn(t.title),
  'pod': dyn(t.pod),
  'pods': dyn([0, [int(t.pods), @most_pods@].min()].max()),@run@
  'selector': dyn(t.pod.spec.?nodeSelector.orValue({})),
  'part': dyn(string(t.pod.?metadata.?annotations[?'cloud.google.com/gke-tpu-slice-topology'].orValue(''))),
  'all': dyn(t.pod.spec.containers + t.pod.spec.?initContainers.orValue([])),
  'numbers': dyn([dyn(t.pod.spec.containers),
    dyn(t.pod.spec.?initContainers.orValue([]).filter(c, c.?restartPolicy.orValue('') == 'Always')),
    dyn(t.pod.spec.?initContainers.orValue([]).filter(c, c.?restartPolicy.orValue('') != 'Always'))].map(list,
    list.filter(c, @in_limits@).map(c, @names@.filter(name, name in c.resources.limits).map(name,
      string(c.resources.limits[name]).matches('^[0-9]{1,4}$') ?
      int(string(c.resources.limits[name])) : @most_chips@).sum())))
}).map(a, {
  'title': dyn(a.title),
  'pod': dyn(a.pod),
  'pods': dyn(a.pods),@kept@
  'all': dyn(a.all),
  'chips': dyn([@most_chips@, a.numbers[1].map(n, int(n)).sum() + [a.numbers[0].map(n, int(n)).sum(),
    a.numbers[2].size() == 0 ? 0 : a.numbers[2].map(n, int(n)).max()].max()].min()),
  'accelerator': dyn(string(a.selector[?'cloud.google.com/gke-tpu-accelerator'].orValue(''))),
  'topology': dyn(a.part != '' ? a.part : string(a.selector[?'cloud.google.com/gke-tpu-topology'].orValue(''))),
  'capacity': dyn(
    a.selector[?'cloud.google.com/gke-provisioning'].orValue('') == 'spot' ||
    a.selector[?'cloud.google.com/gke-spot'].orValue('') == 'true' ? 'spot' :
    a.selector[?'cloud.google.com/gke-provisioning'].orValue('') == 'flex-start' ||
    a.selector[?'cloud.google.com/gke-flex-start'].orValue('') == 'true' ||
    a.selector[?'cloud.google.com/gke-queued'].orValue('') == 'true' ? 'flex-start' :
    a.selector[?'cloud.google.com/reservation-name'].orValue('') == '' ? 'on-demand' : 'reservation')
})))";

// CEL for the Pod templates in the variable `asked`, each with its numbers of chips and slices.
// `slice` is the number of chips of the template's topology, or 0 if the topology is not of a form
// such as "4x4".
constexpr std::string_view counted = R"(variables.asked.map(all, all.map(a, {
  'asked': dyn(a),
  'axes': dyn(a.topology.matches('^[1-9][0-9]{0,5}(x[1-9][0-9]{0,5}){1,2}$') ?
    a.topology.split('x').map(axis, int(axis)) : [0, 0])
}).map(n, {
  'asked': dyn(n.asked),
  'slice': dyn(n.axes[0] * n.axes[1] * (n.axes.size() == 3 ? n.axes[2] : 1))
}).map(n, {
  'asked': dyn(n.asked),
  'slice': dyn(n.slice),
  'chips': dyn(n.asked.pods * n.asked.chips),
  'slices': dyn(n.slice == 0 ? n.asked.pods : (n.asked.pods * n.asked.chips + n.slice - 1) / n.slice)
})))";

std::string as_cel(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// Returns a regular expression that matches a text if the whole text matches one of the patterns.
// If there are no patterns, returns "", which matches any text.
std::string expression_of(const std::vector<std::string>& patterns) {
  std::string out;
  for (const std::string& pattern : patterns) {
    out += out.empty() ? "^(" : "|";
    for (const char c : pattern) {
      if (c == '*') {
        out += ".*";
      } else {
        if (std::string_view(R"(\.+?()|[]{}^$)").find(c) != std::string_view::npos) out += '\\';
        out += c;
      }
    }
  }
  return out.empty() ? out : out + ")$";
}

using Name = ids::Name<ids::rows::of_policy>;

std::string_view id_of(Name name) {
  return ids::id_of(ids::rows::of_policy, std::string(name));
}

// Writes CEL for the list of faults that one object has under one rule: "[{...}] + …". This CEL
// reads the variable `all`: the list of the object's templates, each with the fields that the
// constant `counted` describes.
class Faults {
 public:
  Faults(const Rule& rule, const Rules& rules) : rule_(rule) {
    end_ = as_cel(fmt::format(" (rule {}{}{})", rule.name, rules.contact.empty() ? "" : "; ask ",
                              rules.contact));
  }

  std::string refused() {
    value("rule-accelerator", "accelerator", rule_.accelerators);
    value("rule-topology", "topology", rule_.topologies);
    capacity();
    slice_chips();
    most("rule-slices", "slices", rule_.slices,
         " + (all.exists(n, n.slice == 0) ? ' (a Pod without a topology counts as one)' : '')");
    most("rule-chips", "chips", rule_.chips);
    hygiene();
    return out_.empty() ? "[]" : out_;
  }

  std::string warned(bool ends) {
    name();
    resumable();
    if (ends) run_time();
    return out_.empty() ? "[]" : out_;
  }

 private:
  void add(std::string_view list) { out_ += (out_.empty() ? "" : " +\n") + std::string(list); }

  // Adds a fault for each Pod template for which the CEL condition `holds` is true. The texts
  // `holds`, `key`, `amount` and `text` are CEL and can use two variables: `n` is the template with
  // the fields that the constant `counted` describes, and `a` is the same template with the fields
  // of the constant `asked`.
  void each(std::string_view id, std::string_view holds, std::string_view key,
            std::string_view amount, std::string_view text) {
    add(fmt::format(
        "all.filter(n, [n.asked].exists(a, {})).map(n, [n.asked].map(a, {{'key': dyn('{} ' "
        "+ a.title + {}), 'amount': dyn({}),\n  'id': dyn('{}'), 'text': dyn('{}: ' + "
        "a.title + {} + {})}})[0])",
        holds, id, key, amount, id, id, text, end_));
  }

  void value(Name id, std::string_view name, const std::vector<std::string>& allowed) {
    if (allowed.empty()) return;
    const std::string values = as_cel(joined(allowed));
    each(id_of(id), fmt::format("!a.{}.matches({})", name, as_cel(expression_of(allowed))),
         fmt::format("a.{}", name), "n.chips",
         fmt::format(
             "(a.{0} == '' ? 'selects no {0}, expected one of ' + {1} :\n    '{0} ' + a.{0} + ' "
             "is not allowed, expected one of ' + {1})",
             name, values));
  }

  void capacity() {
    if (rule_.capacities.empty()) return;
    std::vector<std::string> names, texts;
    for (const Capacity each : rule_.capacities) {
      names.emplace_back(team_rules::name_of(each));
      texts.push_back(as_cel(names.back()));
    }
    each(id_of("rule-capacity"), fmt::format("!(a.capacity in [{}])", fmt::join(texts, ", ")),
         "a.capacity", "n.chips",
         fmt::format("'asks for ' + a.capacity + ' capacity, expected one of ' + {}",
                     as_cel(joined(names))));
  }

  void slice_chips() {
    if (!rule_.slice_chips) return;
    each(id_of("rule-slice-chips"), fmt::format("n.slice == 0 || n.slice > {}", *rule_.slice_chips),
         "''", "n.slice == 0 ? 2000000000000000000 : n.slice",
         fmt::format(
             "(n.slice > 0 ? string(n.slice) + ' chips in a slice, expected at most {0}' "
             ":\n    (a.topology == '' ? 'selects no topology' : 'the topology has no number "
             "of chips') + ', expected at most {0} chips in a slice')",
             *rule_.slice_chips));
  }

  void most(Name id, std::string_view what, const std::optional<std::uint64_t>& allowed,
            std::string_view note = {}) {
    if (!allowed) return;
    add(
        fmt::format("[all.map(n, int(n.{0})).sum()].filter(sum, sum > {1}).map(sum, {{'key': "
                    "dyn('{2}'), 'amount': dyn(sum),\n  'id': dyn('{2}'), 'text': dyn('{2}: ' + "
                    "string(sum) + ' {0}'{4} + ', expected at most {1}' + {3})}})",
                    what, *allowed, id_of(id), end_, note));
  }

  void name() {
    if (rule_.object_names.empty()) return;
    add(fmt::format(
        "(object.metadata.name.matches({0}) ? [] : [{{'key': dyn('{1}'), 'amount': "
        "dyn(0), 'id': dyn('{1}'),\n  'text': dyn('{1}: name ' + object.metadata.name + "
        "' is not of the form ' + {2} + {3})}}])",
        as_cel(expression_of({rule_.object_names})), id_of("rule-name"), as_cel(rule_.object_names),
        end_));
  }

  void resumable() {
    if (!rule_.resumable) return;
    plain(
        "rule-resumable", "a.capacity in ['spot', 'flex-start'] && !(a.checkpoint && a.restarted)",
        "''",
        "'asks for ' + a.capacity + ' capacity, but ' + (a.checkpoint ? 'nothing creates its Pods "
        "again' :\n    'no annotation names a checkpoint to resume from')");
  }

  void run_time() {
    if (!rule_.run_seconds) return;
    each(id_of("rule-run-time"), fmt::format("a.seconds < 0 || a.seconds > {}", *rule_.run_seconds),
         "''", "a.seconds < 0 ? 2000000000000000000 : a.seconds",
         fmt::format("(a.seconds < 0 ? 'nothing says when it ends' : 'may run for ' + "
                     "string(a.seconds) + ' s') +\n    ', expected at most {} s'",
                     *rule_.run_seconds));
  }

  // Adds a fault for each template for which the CEL condition `holds` is true. The amount is
  // always 0, because these faults have no number. The other arguments are the same as in each().
  void plain(Name name, std::string_view holds, std::string_view key, std::string_view text) {
    each(id_of(name), holds, key, "0", text);
  }

  // Adds a fault for each Pod template that has a container for which the CEL condition `wrong` is
  // true. In the CEL texts `wrong` and `text`, the variable `c` is the container. The sentence of
  // the fault names the first such container.
  void container(Name name, std::string_view wrong, std::string_view text) {
    plain(name, fmt::format("a.all.exists(c, {})", wrong),
          fmt::format("a.all.filter(c, {}).map(c, c.name + ' ' + {}).join(' ')", wrong, text),
          fmt::format("a.all.filter(c, {}).map(c, 'container ' + c.name + ' ' + {})[0]", wrong,
                      text));
  }

  void hygiene() {
    const team_rules::Hygiene& has = rule_.hygiene;
    for (const auto& [key, values] : has.labels) {
      const std::string found =
          fmt::format("a.pod.?metadata.?labels[?{}].orValue('')", as_cel(key));
      plain(
          "label-required",
          fmt::format("!{}.matches({}) || {} == ''", found, as_cel(expression_of(values)), found),
          fmt::format("{} + {}", as_cel(key + " "), found),
          fmt::format("({0} == '' ? 'label {1} is missing' : 'label {1} is ' + {0}) + ', expected "
                      "' + {2}",
                      found, key, as_cel(expected_words(values))));
    }
    if (has.queue)
      add(
          fmt::format("(queue ? [] : [{{'key': dyn('{0}'), 'amount': dyn(0), 'id': dyn('{0}'),\n  "
                      "'text': dyn('{0}: label kueue.x-k8s.io/queue-name is missing' + {1})}}])",
                      id_of("queue-required"), end_));
    constexpr std::string_view image = "c.?image.orValue('')";
    if (!has.images.empty())
      container("image-not-allowed",
                fmt::format("!{}.matches({})", image, as_cel(expression_of(has.images))),
                fmt::format("'has image ' + {} + ', expected one of ' + {}", image,
                            as_cel(joined(has.images))));
    if (has.digests)
      container("image-without-digest",
                fmt::format("!{}.matches('@sha256:[0-9a-f]{{64}}$')", image),
                fmt::format("'has image ' + {} + ', expected one by its digest'", image));
    if (has.tags)
      container("image-latest",
                fmt::format("{0}.matches(':latest$') || {0}.matches('^(.*/)?[^/:@]+$')", image),
                fmt::format("'has image ' + {} + ', expected a tag other than latest'", image));
    if (!has.privileged)
      container("privileged", "c.?securityContext.?privileged.orValue(false)", "'is privileged'");
    if (!has.host_paths)
      plain(
          "host-path", "a.pod.spec.?volumes.orValue([]).exists(v, has(v.hostPath))",
          "a.pod.spec.volumes.filter(v, has(v.hostPath)).map(v, v.name).join(' ')",
          "'volume ' + a.pod.spec.volumes.filter(v, has(v.hostPath))[0].name + ' is a path of the "
          "node'");
    if (!has.host_network)
      plain("host-network", "a.pod.spec.?hostNetwork.orValue(false)", "''",
            "'hostNetwork is true'");
    if (!has.default_account)
      plain(
          "default-account",
          "a.pod.spec.?serviceAccountName.orValue(a.pod.spec.?serviceAccount.orValue('')) in ['', "
          "'default']",
          "''", "'serviceAccountName is default'");
    if (!has.secret_variables.empty()) {
      const std::string wrong = fmt::format(
          "c.?env.orValue([]).exists(e, e.?value.orValue('') != '' && e.name.matches({0}))",
          as_cel(expression_of(has.secret_variables)));
      container(
          "key-in-text", wrong,
          fmt::format("'writes the value of variable ' + c.env.filter(e, e.?value.orValue('') "
                      "!= '' && e.name.matches({0}))[0].name + ' down, expected valueFrom a "
                      "Secret'",
                      as_cel(expression_of(has.secret_variables))));
    }
  }

  const Rule& rule_;
  std::string end_, out_;
};

// Returns CEL for the index of the first rule that matches the namespace of the request. If no rule
// matches, the CEL returns the number of rules.
std::string rule_number(const Rules& rules) {
  std::string out;
  for (std::size_t i = 0; i < rules.list.size(); ++i)
    out += fmt::format("namespaceObject.metadata.name.matches({}) ? {} :\n",
                       as_cel(expression_of(rules.list[i].namespaces)), i);
  return out + std::to_string(rules.list.size());
}

std::string no_rule(const Rules& rules) {
  if (rules.others_may_ask) return "[]";
  return fmt::format(
      "[{{'key': dyn('{0}'), 'amount': dyn(all.map(n, int(n.chips)).sum()), 'id': dyn('{0}'),\n"
      "  'text': dyn('{0}: namespace ' + namespaceObject.metadata.name + ' may not ask for TPUs: "
      "no rule names "
      "it' + {1})}}]",
      id_of("rule-namespace"),
      as_cel(rules.contact.empty() ? "" : fmt::format(" (ask {})", rules.contact)));
}

// Returns CEL for a list with one item for each object of the review: the new object and, for an
// update, the old object. `broken` is the CEL of one item and can use two variables. `all` is the
// list of the object's Pod templates, with the fields that the constant `counted` describes.
// `queue` is true if the object names a queue.
std::string of_each_object(std::string_view broken) {
  return fmt::format(
      "[0, 1].filter(i, i < variables.counted.size()).map(i, [variables.counted[i]].map(all,\n"
      "[variables.queue[i]].map(queue, all.size() == 0 ? [] :\n{})[0])[0])",
      broken);
}

// Adds one variable of the policy for each rule, because the CEL for all rules in one variable
// could exceed 100,000 characters, the API server's limit for a CEL expression.
void add_broken(const JudgedRules& rules, std::vector<Step>& out) {
  const std::vector<Rule>& list = rules.all.list;
  std::string chosen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Faults faults(list[i], rules.all);
    out.push_back({fmt::format("rule{}", i),
                   of_each_object(rules.warned ? faults.warned(rules.ends) : faults.refused())});
    chosen += fmt::format("variables.rule == {0} ? variables.rule{0} :\n", i);
  }
  out.push_back({"faults", chosen + of_each_object(rules.warned ? "[]" : no_rule(rules.all))});
}

// CEL for the fields of a Pod template that only the checks TPU-658 to TPU-660 read. If one of
// these checks finds a fault in the object, the policies warn but never refuse the object.
constexpr std::string_view run_members = R"(
  'restarted': dyn(t.restarted),
  'checkpoint': dyn(@checkpoint@ in t.pod.?metadata.?annotations.orValue({})),
  'seconds': dyn([int(t.seconds)].map(seconds,
    [string(t.pod.spec.?nodeSelector[?'cloud.google.com/gke-max-run-duration-seconds'].orValue(''))].map(node,
    !node.matches('^(0|[1-9][0-9]{0,9})$') || int(node) > @most_seconds@ ? seconds :
    seconds < 0 ? int(node) : [seconds, int(node)].min())[0])[0]),)";
constexpr std::string_view kept_run_members = R"(
  'restarted': dyn(a.restarted),
  'checkpoint': dyn(a.checkpoint),
  'seconds': dyn(a.seconds),)";

constexpr std::string_view most_seconds = "4294967295";

std::string asked_cel(const JudgedRules& rules) {
  const std::string run =
      with(with(run_members, "@checkpoint@", as_cel(rules.prefix + "checkpoint")), "@most_seconds@",
           most_seconds);
  std::string out = with(with_chips(asked), "@run@", rules.warned ? run : "");
  out = with(out, "@kept@", rules.warned ? kept_run_members : "");
  out = with(out, "@most_pods@", std::to_string(team_rules::most_pods));
  return with(out, "@most_chips@", std::to_string(team_rules::most_chips_of_pod));
}

std::string names(const Rules& rules) {
  std::string out = "[";
  for (const Rule& rule : rules.list) out += as_cel(rule.name) + ", ";
  return out + "'no rule'][variables.rule]";
}

}  // namespace

std::string expected_words(const std::vector<std::string>& patterns) {
  const bool any = patterns.size() == 1 && patterns.front() == "*";
  return any ? "any value" : "one of " + joined(patterns);
}

std::string joined(const std::vector<std::string>& all) {
  return fmt::format("{}", fmt::join(all, ", "));
}

bool are_any_warned(const Rules& rules, bool ends) {
  return std::ranges::any_of(rules.list, [&](const Rule& rule) {
    return !rule.object_names.empty() || rule.resumable || (ends && rule.run_seconds);
  });
}

std::vector<Step> rule_steps(const JudgedRules& rules) {
  std::vector<Step> out = {{"asked", asked_cel(rules)},
                           {"counted", std::string(counted)},
                           {"rule", rule_number(rules.all)},
                           {"name", names(rules.all)}};
  add_broken(rules, out);
  // A fault is left out if the old object already had the same fault with at least the same amount,
  // because such a fault must not prevent other changes of the object.
  out.push_back(
      {"found",
       "variables.faults[0].filter(fault, variables.faults.size() == 1 ||\n"
       "  !variables.faults[1].exists(old, old.key == fault.key && old.amount >= fault.amount))"});
  return out;
}

std::string judgement_cel() {
  return "variables.name + ': ' + (variables.faults[0].map(fault, string(fault.id)) +\n"
         "  (variables.templates[0].exists(t, has(t.pod.spec.resourceClaims)) ? ['not all judged'] "
         ":\n  variables.faults[0].size() == 0 ? ['kept'] : [])).join(', ')";
}

std::string count_cel(std::string_view number) {
  return fmt::format("[0, int({})].max()", number);
}

std::string job_pods_cel(std::string_view spec, std::string_view indexed) {
  const std::string parallelism = count_cel(fmt::format("{}.?parallelism.orValue(1)", spec));
  const std::string completions =
      count_cel(fmt::format("{0}.?completions.orValue({1})", spec, parallelism));
  return fmt::format("({0} == 0 ? 0 : {1} ? {2} : [{0}, {2}].min())", parallelism, indexed,
                     completions);
}

std::string deadline_cel(std::string_view spec) {
  return fmt::format("[int({}.?activeDeadlineSeconds.orValue(-1)), {}].min()", spec, most_seconds);
}

}  // namespace tpuwh::server::policy
