#include "kubectl/policy/trial.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/inspect/source/input_files.hpp"
#include "kubectl/objects/api_version.hpp"
#include "kubectl/objects/object.hpp"
#include "kubectl/policy/breaches.hpp"
#include "kubectl/policy/hygiene.hpp"
#include "kubectl/review/input.hpp"
#include "kubectl/text/json_line.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/text/json_text.hpp"
#include "server/text/read_file.hpp"
#include "webhook/read/cluster.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace tpuwh::server::policy {

namespace {

using text::text_member;

enum class Outcome { allowed, warned, refused };
constexpr std::string_view outcomes[] = {"allowed", "warned", "refused"};

std::string_view name_of(Outcome outcome) {
  return outcomes[static_cast<int>(outcome)];
}

struct Judged {
  std::string ns, kind, name, rule;
  std::vector<Breach> breaches;
  Outcome outcome = Outcome::allowed;

  std::string called() const { return fmt::format("{}/{}/{}", ns, kind, name); }
};

// The numbers of objects that are not judged, one for each reason.
struct PassedOver {
  std::size_t pods = 0, others = 0, made = 0, without_chips = 0;
};

class Trial {
 public:
  explicit Trial(const TrialOptions& options) : options_(options) {}

  void judge(const review::Input& input) {
    if (!input.unusable.empty()) return wrong(input.unusable);
    const Json review = Json::parse(input.review, nullptr, false);
    const Json& request = objects::at(review, {"request"});
    const Json& object = objects::at(request, {"object"});
    if (!object.is_object()) return wrong("an input is not an object");
    const std::string kind = text_member(object, "kind");
    const std::string version = text_member(object, "apiVersion");
    const std::string group(objects::split_api_version(version).group);
    if (kind == "Pod" && version == "v1") return ++passed_.pods, void();
    if (!webhook::workloads::find_object(group, kind)) return ++passed_.others, void();
    if (made_by_judged(object)) return ++passed_.made, void();
    Judged one{.ns = text_member(request, "namespace"),
               .kind = kind,
               .name = objects::shown_name(object),
               .rule = {},
               .breaches = {}};
    const auto* rule = team_rules::rule_of(rules(), one.ns);
    one.rule = rule == nullptr ? "" : rule->name;
    const webhook::read::NoCluster no_cluster;
    one.breaches = breaches({rules(), options_.prefix, one.ns, no_cluster}, object,
                            objects::at(request, {"oldObject"}));
    if (templates_with_chips(object).empty() && one.breaches.empty())
      return ++passed_.without_chips, void();
    for (const Breach& each : one.breaches)
      one.outcome = std::max(one.outcome, each.refused ? Outcome::refused : Outcome::warned);
    judged_.push_back(std::move(one));
  }

  const std::vector<Judged>& judged() const { return judged_; }
  const PassedOver& passed_over() const { return passed_; }
  const std::vector<std::string>& unusable() const { return unusable_; }

 private:
  const team_rules::Rules& rules() const { return *options_.rules; }
  void wrong(const std::string& what) { unusable_.push_back(what); }

  const TrialOptions& options_;
  std::vector<Judged> judged_;
  PassedOver passed_;
  std::vector<std::string> unusable_;
};

// ---- expected outcomes

struct Expected {
  std::string object;
  Outcome outcome = Outcome::allowed;
  std::optional<std::vector<std::string>> ids;
};

Result<std::vector<Expected>> read_expected(const std::string& file, const text::Console& console) {
  const auto wrong = [&](std::string_view what) {
    return bad_value(fmt::format("{}: {}", file, what));
  };
  const auto text = text::read_file_or(console.in, file, text::max_snapshot_bytes);
  if (!text) return wrong(text.error().text());
  const auto documents = text::parse_yaml(*text);
  if (!documents) return wrong(documents.error().text());
  if (documents->size() != 1 || !documents->front().is_array())
    return wrong("expected a list of {object, outcome, ids}");
  std::vector<Expected> out;
  for (const Json& each : documents->front()) {
    Expected one{text_member(each, "object"), Outcome::allowed, {}};
    const std::string outcome = text_member(each, "outcome");
    const auto* found = std::ranges::find(outcomes, std::string_view(outcome));
    if (one.object.find('/') == std::string::npos || found == std::end(outcomes))
      return wrong(
          fmt::format("expected object: [NAMESPACE/]KIND/NAME and outcome: allowed, warned or "
                      "refused, got {}",
                      base::printable(each.dump(-1, ' ', false, Json::error_handler_t::replace))));
    one.outcome = static_cast<Outcome>(found - outcomes);
    if (const Json& ids = objects::at(each, {"ids"}); ids.is_array()) {
      one.ids.emplace();
      for (const Json& id : ids)
        if (id.is_string()) one.ids->push_back(id.get<std::string>());
      std::ranges::sort(*one.ids);
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<std::string> ids_of(const Judged& one) {
  std::vector<std::string> out;
  for (const Breach& each : one.breaches) out.push_back(each.id);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string shown(Outcome outcome, const std::vector<std::string>& ids) {
  return fmt::format("{}{}{}", name_of(outcome), ids.empty() ? "" : ": ", fmt::join(ids, ", "));
}

// Returns how the outcome of an object differs from the expected outcome, or "" if they are equal.
std::string difference(const Expected& expected, const std::vector<Judged>& judged) {
  const auto found = std::ranges::find_if(judged, [&](const Judged& each) {
    const std::string called = each.called();
    return called == expected.object || called.ends_with("/" + expected.object);
  });
  if (found == judged.end()) return fmt::format("{}: is not among the objects", expected.object);
  const auto ids = ids_of(*found);
  if (found->outcome == expected.outcome && (!expected.ids || *expected.ids == ids)) return {};
  return fmt::format("{}: expected {}, got {}", expected.object,
                     shown(expected.outcome, expected.ids.value_or(std::vector<std::string>())),
                     shown(found->outcome, ids));
}

// ---- output

std::string said_of(const Judged& one) {
  std::string out;
  for (const Breach& each : one.breaches)
    out += fmt::format("  {:<8} {}: {}: {}\n", each.refused ? "refused" : "warned", one.called(),
                       each.id, each.sentence);
  return out;
}

struct Count {
  std::size_t refused = 0, warned = 0, all = 0;
};

std::map<std::string, Count> by_rule(const std::vector<Judged>& judged) {
  std::map<std::string, Count> out;
  for (const Judged& each : judged) {
    Count& count = out[each.rule];
    ++count.all;
    count.refused += each.outcome == Outcome::refused;
    count.warned += each.outcome == Outcome::warned;
  }
  return out;
}

std::string passed_over(const PassedOver& passed) {
  std::string out;
  const auto add = [&](std::size_t count, std::string_view what, std::string_view why) {
    if (count > 0) out += fmt::format("  {}{}\n", base::counted(count, what), why);
  };
  add(passed.made, "object", ", made by another that is judged");
  add(passed.without_chips, "object", " without chips");
  add(passed.pods, "Pod", ": no policy looks at Pods");
  add(passed.others, "object", " of kinds that no rule is about");
  return out.empty() ? out : "Not judged:\n" + out;
}

std::string as_text(const Trial& trial, const std::vector<std::string>& differences) {
  Count all;
  std::string out, rules;
  for (const Judged& each : trial.judged()) out += said_of(each);
  for (const auto& [rule, count] : by_rule(trial.judged())) {
    all.all += count.all;
    all.refused += count.refused;
    all.warned += count.warned;
    rules += fmt::format("  {:<20} {} refused, {} warned of, of {}\n",
                         rule.empty() ? "no rule" : "rule " + rule, count.refused, count.warned,
                         count.all);
  }
  out = fmt::format("{} {}: {} would be refused, {} warned of\n", all.all,
                    all.all == 1 ? "object that asks for TPUs" : "objects that ask for TPUs",
                    all.refused, all.warned) +
        out + (rules.empty() ? "" : "By rule:\n" + rules) + passed_over(trial.passed_over());
  for (const std::string& each : trial.unusable()) out += "cannot be judged: " + each + "\n";
  for (const std::string& each : differences) out += "not as expected: " + each + "\n";
  return out;
}

Json as_json(const Trial& trial, const std::vector<std::string>& differences) {
  Json all = Json::array();
  for (const Judged& each : trial.judged()) {
    Json said = Json::array();
    for (const Breach& one : each.breaches)
      said.push_back({{"id", one.id}, {"refuses", one.refused}, {"sentence", one.sentence}});
    all.push_back({{"namespace", each.ns},
                   {"kind", each.kind},
                   {"name", each.name},
                   {"rule", each.rule.empty() ? Json() : Json(each.rule)},
                   {"outcome", name_of(each.outcome)},
                   {"findings", std::move(said)}});
  }
  const PassedOver& passed = trial.passed_over();
  return {{"objects", std::move(all)},
          {"notJudged",
           {{"madeByJudged", passed.made},
            {"withoutChips", passed.without_chips},
            {"pods", passed.pods},
            {"otherKinds", passed.others}}},
          {"unusable", trial.unusable()},
          {"differences", differences}};
}

// Judges all objects and AdmissionReviews in the input files, and returns their number.
Result<std::size_t> judge_files(const TrialOptions& options, const text::Console& console,
                                Trial& trial) {
  const std::vector<std::string> names =
      options.files.empty() ? std::vector<std::string>{"-"} : options.files;
  const auto files = source::input_files(names);
  if (!files) return files.error();
  std::size_t count = 0;
  for (const std::string& file : *files) {
    if (file == options.expected) continue;
    auto text = text::read_file_or(console.in, file, text::max_snapshot_bytes);
    if (!text)
      return bad_value(
          fmt::format("cannot read {}: {}", source::spoken_file(file), text.error().text()));
    for (const review::Input& each : review::read_inputs(std::move(*text), options.ns)) {
      ++count;
      trial.judge(each);
    }
  }
  return count;
}

}  // namespace

int run_policy_test(const TrialOptions& options, const text::Console& console) {
  if (!options.rules)
    return print_error(console, "there are no rules to try: expected --team-rules FILE");
  Trial trial(options);
  if (const auto count = judge_files(options, console, trial); !count)
    return print_error(console, count.error());
  std::vector<std::string> differences;
  if (!options.expected.empty()) {
    const auto expected = read_expected(options.expected, console);
    if (!expected) return print_error(console, expected.error());
    for (const Expected& each : *expected)
      if (std::string what = difference(each, trial.judged()); !what.empty())
        differences.push_back(std::move(what));
  }
  if (options.output == TrialOutput::json)
    console.out << text::json_line(as_json(trial, differences), true);
  else
    console.out << text::printed_lines(as_text(trial, differences));
  if (!trial.unusable().empty()) return 2;
  if (!options.expected.empty()) return differences.empty() ? 0 : 1;
  const bool refused = std::ranges::any_of(
      trial.judged(), [](const Judged& each) { return each.outcome == Outcome::refused; });
  return refused ? 1 : 0;
}

}  // namespace tpuwh::server::policy
