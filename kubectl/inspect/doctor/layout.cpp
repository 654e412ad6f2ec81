#include "kubectl/inspect/doctor/layout.hpp"

#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/selectors.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/doctor/wanted.hpp"
#include "kubectl/reference/rules/entries.hpp"
#include "server/text/json_text.hpp"
#include "webhook/workloads/table.hpp"

#include <map>
#include <set>

namespace tpuwh::server::doctor {

namespace {

using webhook::config::Config;
using webhook::config::Mode;
using webhook::workloads::Workload;

// The fields of an installed webhook that depend on tpu-webhook's configuration.
struct Seen {
  std::string expression;
  std::set<std::string> selector;
  bool reached = false;  // its objectSelector can be met
  bool refuses = false;
};

std::map<std::string, Seen> seen(const Json& entries) {
  std::map<std::string, Seen> out;
  for (const Json& each : entries) {
    const Json& conditions = text::member(each, "matchConditions");
    const bool one = conditions.is_array() && conditions.size() == 1;
    const Json& selector = text::member(each, "objectSelector");
    out[name_of(each)] = {
        .expression = one ? text::text_member(conditions[0], "expression") : std::string(),
        .selector = requirements(selector),
        .reached = !meets_nobody(selector),
        .refuses = !ignores_failures(each)};
  }
  return out;
}

// Returns a score for how well the installed webhooks (`found`) match the webhooks that the chart
// renders for `config`. An equal CEL expression counts more than an equal selector. An equal
// failurePolicy counts least, because it depends not only on the mode but also on the chart's value
// failurePolicy.
int likeness_of(const std::map<std::string, Seen>& found, const Config& config) {
  int out = 0;
  for (const rules::Entry& entry : rules::entries(config)) {
    const auto at = found.find(entry.name);
    if (at == found.end()) continue;
    const Seen& is = at->second;
    if (!entry.mode) {
      out += is.reached ? 0 : 9;
      continue;
    }
    std::set<std::string> selector(entry.present.begin(), entry.present.end());
    for (const std::string& key : entry.absent) selector.insert("no " + key);
    out += is.expression == entry.expression ? 5 : 0;
    out += is.selector == selector ? 3 : 0;
    out += is.refuses == (*entry.mode == Mode::enforce) ? 1 : 0;
  }
  return out;
}

void set_mode(Config& config, const Workload& workload, Mode mode) {
  config.workloads.add(workload.kind);
  config.of(workload.kind).mode = mode;
}

// The most like of all that modes can be; of an entry that no Pod can reach only a workload API
// without a label may have its Pods in another.
class Search {
 public:
  Search(const std::map<std::string, Seen>& found, const std::string& prefix) : found_(found) {
    Config config;
    config.prefix = prefix;
    config.workloads = {};
    next(0, config);
    config.claims = true;
    next(0, config);
  }

  Config best;

 private:
  void next(std::size_t index, const Config& config) {
    if (index == rules_of_.size()) {
      const int score = likeness_of(found_, config);
      if (config.workloads == webhook::config::WorkloadSet() || score <= most_) return;
      most_ = score;
      best = config;
      return;
    }
    const Workload& workload = webhook::workloads::workloads()[index];
    const auto at = found_.find(rules_of_[index].entry);
    const bool reached = at != found_.end() && at->second.reached;
    const bool keyless = workload.label_key.empty();
    if (keyless || !reached) next(index + 1, config);
    if (keyless || reached)
      for (const Mode mode : {Mode::enforce, Mode::shadow}) {
        Config with = config;
        set_mode(with, workload, mode);
        next(index + 1, with);
      }
  }

  const std::map<std::string, Seen>& found_;
  std::vector<rules::OfWorkload> rules_of_ = rules::of_workloads();
  int most_ = -1;
};

Config by_settings(const View& view) {
  Config out;
  out.prefix = annotation_prefix(view);
  out.claims = features_of(view).claims;
  out.workloads = {};
  for (const std::string& each : handled(view))
    set_mode(out, webhook::workloads::row_of(each),
             in_shadow(view, each).value_or(false) ? Mode::shadow : Mode::enforce);
  return out;
}

}  // namespace

Config layout_of(const View& view) {
  if (settings_known(view)) return by_settings(view);
  // The result of the last search is kept, because a search renders hundreds of configurations, and
  // a dozen checks of the same View need the result.
  thread_local Json of;
  thread_local Config last;
  const Json& entries = all_entries(view.configuration.object);
  const std::string prefix = annotation_prefix(view);
  if (of != entries || last.prefix != prefix) last = Search(seen(of = entries), prefix).best;
  return last;
}

std::vector<std::string> workloads_of(const View& view, const Json& entry) {
  for (rules::Entry& each : rules::entries(layout_of(view)))
    if (each.name == name_of(entry)) return std::move(each.workloads);
  return {};
}

}  // namespace tpuwh::server::doctor
