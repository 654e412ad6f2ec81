#include "kubectl/inspect/doctor/layout.hpp"

#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/former.hpp"
#include "kubectl/inspect/doctor/selectors.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/doctor/wanted.hpp"
#include "server/rules/entries.hpp"
#include "server/text/json_text.hpp"
#include "webhook/workloads/table.hpp"

#include <map>
#include <optional>
#include <set>

namespace tpuwh::server::doctor {

namespace {

using webhook::config::Config;
using webhook::config::Mode;
using webhook::workloads::Workload;

// What tells one rendering from another, of an entry that is there.
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

// How much of `found` is as in these entries: conditions first, then selectors, then policies,
// which one value may choose.
template <typename Entry, typename Selector>
int likeness_of(const std::map<std::string, Seen>& found, const std::vector<Entry>& rendered,
                const Selector& selector_of) {
  int out = 0;
  for (const Entry& entry : rendered) {
    const auto at = found.find(entry.name);
    if (at == found.end()) continue;
    const Seen& is = at->second;
    if (!entry.mode) {
      out += is.reached ? 0 : 9;
      continue;
    }
    out += is.expression == entry.expression ? 5 : 0;
    out += is.selector == selector_of(entry) ? 3 : 0;
    out += is.refuses == (*entry.mode == Mode::enforce) ? 1 : 0;
  }
  return out;
}

int likeness(const std::map<std::string, Seen>& found, const Config& config) {
  return likeness_of(found, rules::entries(config), [](const rules::Entry& entry) {
    std::set<std::string> selector(entry.present.begin(), entry.present.end());
    for (const std::string& key : entry.absent) selector.insert("no " + key);
    return selector;
  });
}

int likeness_to_former(const std::map<std::string, Seen>& found, const Config& config) {
  return likeness_of(found, former(config),
                     [](const FormerEntry& entry) { return requirements(entry.selector); });
}

void set_mode(Config& config, const Workload& workload, Mode mode) {
  config.workloads.add(workload.kind);
  config.of(workload.kind).mode = mode;
}

// Of which each workload API had an entry, in charts before.
Config former_config(const std::map<std::string, Seen>& found, const std::string& prefix) {
  Config out;
  out.prefix = prefix;
  out.workloads = {};
  for (const rules::OfWorkload& each : rules::of_workloads())
    if (const auto at = found.find(each.entry); at != found.end() && at->second.reached)
      set_mode(out, webhook::workloads::row_of(each.workload),
               at->second.refuses ? Mode::enforce : Mode::shadow);
  if (out.workloads == webhook::config::WorkloadSet())
    out.workloads = webhook::config::WorkloadSet::all();
  return out;
}

// The most like of all that modes can be; of an entry that no Pod can reach only a workload API
// without a label may have its Pods in another.
class Search {
 public:
  Search(const std::map<std::string, Seen>& found, const std::string& prefix) : found_(found) {
    now_.prefix = prefix;
    for (const bool claims : {false, true}) {
      now_.claims = claims;
      now_.workloads = {};
      next(0);
    }
  }

  const std::optional<Config>& best() const { return best_; }
  int likeness() const { return most_; }

 private:
  void next(std::size_t index) {
    const auto table = webhook::workloads::workloads();
    if (index == table.size()) return take();
    const Workload& workload = table[index];
    const auto at = found_.find(rules_of_[index].entry);
    const bool reached = at != found_.end() && at->second.reached;
    const bool keyed = !workload.label_key.empty();
    const auto before = now_;
    if (!keyed || !reached) next(index + 1);
    if (!keyed || reached)
      for (const Mode mode : {Mode::enforce, Mode::shadow}) {
        set_mode(now_, workload, mode);
        next(index + 1);
        now_ = before;
      }
  }

  void take() {
    if (now_.workloads == webhook::config::WorkloadSet()) return;
    const int score = doctor::likeness(found_, now_);
    if (score <= most_) return;
    most_ = score;
    best_ = now_;
  }

  const std::map<std::string, Seen>& found_;
  std::vector<rules::OfWorkload> rules_of_ = rules::of_workloads();
  Config now_;
  std::optional<Config> best_;
  int most_ = -1;
};

Config by_settings(const View& view) {
  Config out;
  out.prefix = annotation_prefix(view);
  out.claims = reads_claims(view);
  out.workloads = {};
  for (const std::string& each : handled(view))
    set_mode(out, webhook::workloads::row_of(each),
             in_shadow(view, each).value_or(false) ? Mode::shadow : Mode::enforce);
  return out;
}

}  // namespace

Layout layout_of(const View& view) {
  const auto found = seen(all_entries(view.configuration.object));
  if (settings_known(view)) {
    Config config = by_settings(view);
    const bool former = likeness_to_former(found, config) > likeness(found, config);
    return {.config = std::move(config), .former = former};
  }
  Config before = former_config(found, annotation_prefix(view));
  const Search now(found, annotation_prefix(view));
  if (!now.best() || likeness_to_former(found, before) > now.likeness())
    return {.config = std::move(before), .former = !found.empty()};
  return {.config = *now.best(), .former = false};
}

std::vector<std::string> workloads_of(const View& view, const Json& entry) {
  const Layout layout = layout_of(view);
  if (layout.former) return {workload_of(entry)};
  for (rules::Entry& each : rules::entries(layout.config))
    if (each.name == name_of(entry)) return std::move(each.workloads);
  return {};
}

}  // namespace tpuwh::server::doctor
