#include "kubectl/team_rules/judge.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"
#include "kubectl/reference/ids/policy_rows.hpp"

#include <algorithm>

namespace tpuwh::server::team_rules {

namespace {

using Name = ids::Name<ids::rows::of_policy>;

// The value of Broken::amount for a fault that has no number, such as a missing topology or
// deadline. This value is larger than the chips of any topology and the seconds of any deadline.
constexpr std::uint64_t unbounded = 2'000'000'000'000'000'000;

std::string_view id_of(Name name) {
  return ids::id_of(ids::rows::of_policy, std::string(name));
}

std::string listed(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& each : all) out += (out.empty() ? "" : ", ") + each;
  return out;
}

bool any_matches(const std::vector<std::string>& patterns, std::string_view text) {
  return std::ranges::any_of(patterns,
                             [&](const std::string& pattern) { return matches(pattern, text); });
}

class Judge {
 public:
  Judge(const Rules& rules, const Rule& rule, std::vector<Broken>& out)
      : end_(base::concat(
            {" (rule ", rule.name, rules.contact.empty() ? "" : "; ask ", rules.contact, ")"})),
        rule_(rule),
        out_(out) {}

  void judge(const AskedTemplate& one) {
    value("rule-accelerator", one, "accelerator", one.accelerator, rule_.accelerators);
    value("rule-topology", one, "topology", one.topology, rule_.topologies);
    capacity(one);
    slice(one);
    resumable(one);
    run_time(one);
  }

  void judge_all(const AskedObject& object) {
    std::uint64_t slices = 0, chips = 0;
    bool all_known = true;
    for (const AskedTemplate& each : object.templates) {
      all_known = all_known && chips_of(each.topology);
      slices += slices_of(each);
      chips += each.pods * each.chips;
    }
    most("rule-slices", {}, slices,
         all_known ? " slices" : " slices (a Pod without a topology counts as one)", rule_.slices);
    most("rule-chips", {}, chips, " chips", rule_.chips);
    if (!rule_.object_names.empty() && !matches(rule_.object_names, object.name))
      add("rule-name", {}, 0,
          base::concat({"name ", base::printable(object.name, base::max_host_name_length),
                        " is not of the form ", rule_.object_names}));
  }

 private:
  static std::uint64_t slices_of(const AskedTemplate& one) {
    const std::uint64_t chips = chips_of(one.topology).value_or(0);
    if (chips == 0) return one.pods;
    return (one.pods * one.chips + chips - 1) / chips;
  }

  void value(Name name, const AskedTemplate& one, std::string_view what, const std::string& found,
             const std::vector<std::string>& allowed) {
    if (allowed.empty() || any_matches(allowed, found)) return;
    const std::string shown = base::printable(found);
    add(name, one.title + shown, one.pods * one.chips,
        found.empty()
            ? base::concat({one.title, "selects no ", what, ", expected one of ", listed(allowed)})
            : base::concat({one.title, what, " ", shown, " is not allowed, expected one of ",
                            listed(allowed)}));
  }

  void capacity(const AskedTemplate& one) {
    const auto& allowed = rule_.capacities;
    if (allowed.empty() || std::ranges::find(allowed, one.capacity) != allowed.end()) return;
    std::vector<std::string> names;
    for (const Capacity each : allowed) names.emplace_back(name_of(each));
    add("rule-capacity", base::concat({one.title, name_of(one.capacity)}), one.pods * one.chips,
        base::concat({one.title, "asks for ", name_of(one.capacity), " capacity, expected one of ",
                      listed(names)}));
  }

  void slice(const AskedTemplate& one) {
    const auto chips = chips_of(one.topology);
    if (chips)
      most("rule-slice-chips", one.title, *chips, " chips in a slice", rule_.slice_chips);
    else if (rule_.slice_chips)
      add("rule-slice-chips", one.title, unbounded,
          base::concat(
              {one.title,
               one.topology.empty() ? "selects no topology" : "the topology has no number of chips",
               ", expected at most ", std::to_string(*rule_.slice_chips), " chips in a slice"}));
  }

  void resumable(const AskedTemplate& one) {
    const bool goes = one.capacity == Capacity::spot || one.capacity == Capacity::flex_start;
    if (!rule_.resumable || !goes || (one.run.checkpoint && one.run.restarted)) return;
    add("rule-resumable", one.title, 0,
        base::concat({one.title, "asks for ", name_of(one.capacity), " capacity, but ",
                      one.run.checkpoint ? "nothing creates its Pods again"
                                         : "no annotation names a checkpoint to resume from"}));
  }

  void run_time(const AskedTemplate& one) {
    if (!rule_.run_seconds || !one.run.ends) return;
    const std::uint64_t most = *rule_.run_seconds;
    if (one.run.seconds && *one.run.seconds <= most) return;
    add("rule-run-time", one.title, one.run.seconds.value_or(unbounded),
        base::concat({one.title,
                      one.run.seconds ? "may run for " + std::to_string(*one.run.seconds) + " s"
                                      : "nothing says when it ends",
                      ", expected at most ", std::to_string(most), " s"}));
  }

  void most(Name name, std::string_view title, std::uint64_t found, std::string_view what,
            const std::optional<std::uint64_t>& allowed) {
    if (!allowed || found <= *allowed) return;
    add(name, std::string(title), found,
        base::concat(
            {title, std::to_string(found), what, ", expected at most ", std::to_string(*allowed)}));
  }

  void add(Name name, std::string key, std::uint64_t amount, std::string sentence) {
    out_.push_back({id_of(name), std::move(key), amount, std::move(sentence) + end_});
  }

  const std::string end_;
  const Rule& rule_;
  std::vector<Broken>& out_;
};

}  // namespace

std::vector<Broken> judge(const Rules& rules, std::string_view ns, const AskedObject& object) {
  std::vector<Broken> out;
  if (object.templates.empty()) return out;
  const Rule* rule = rule_of(rules, ns);
  if (rule == nullptr) {
    std::uint64_t chips = 0;
    for (const AskedTemplate& each : object.templates) chips += each.pods * each.chips;
    if (!rules.others_may_ask)
      out.push_back({id_of("rule-namespace"),
                     {},
                     chips,
                     base::concat({"namespace ", base::printable(ns),
                                   " may not ask for TPUs: no rule names it",
                                   rules.contact.empty() ? "" : " (ask ", rules.contact,
                                   rules.contact.empty() ? "" : ")"})});
    return out;
  }
  Judge judge(rules, *rule, out);
  for (const AskedTemplate& each : object.templates) judge.judge(each);
  judge.judge_all(object);
  return out;
}

BrokenBefore::BrokenBefore(const std::vector<Broken>& before) {
  for (const Broken& each : before) {
    std::uint64_t& most = most_[{each.id, each.key}];
    most = std::max(most, each.amount);
  }
}

bool BrokenBefore::includes(const Broken& now) const {
  const auto found = most_.find({now.id, now.key});
  return found != most_.end() && found->second >= now.amount;
}

std::optional<std::uint64_t> chips_of(std::string_view topology) {
  std::uint64_t chips = 1;
  int axes = 0;
  for (std::size_t begin = 0; begin <= topology.size(); ++axes) {
    const std::size_t end = std::min(topology.find('x', begin), topology.size());
    const auto axis = base::plain_decimal(topology.substr(begin, end - begin));
    if (!axis || *axis == 0 || *axis > 999'999) return std::nullopt;
    chips *= *axis;
    begin = end + 1;
  }
  return axes == 2 || axes == 3 ? std::optional(chips) : std::nullopt;
}

}  // namespace tpuwh::server::team_rules
