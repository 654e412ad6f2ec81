#include "kubectl/predict/explain/wrapped.hpp"

#include "kubectl/predict/explain/conclude.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "kubectl/predict/wrappers/written.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

namespace tpuwh::server::explain {

namespace {

using source::Origin;

std::string holder_words(const source::Holder& holder) {
  const std::string name = fmt::format("{} {}/{}", holder.kind, holder.ns, holder.name);
  if (!holder.path.empty()) return fmt::format("in {}: {}", name, holder.path);
  return fmt::format("made by {}{}{}", name, holder.of.empty() ? "" : " of ", holder.of);
}

// Edits of a fix, as those of the objects that files hold.
class Placer {
 public:
  Placer(const wrappers::Opened& opened, const std::string& ns) {
    for (const source::Manifest& each : opened.objects)
      if (each.origin)
        by_name_[{text::text_member(each.object, "kind"), namespace_of(each.object, ns),
                  text::text_member(at(each.object, {"metadata"}), "name")}] = each.origin.get();
  }

  void place(const Workload& workload, Finding& finding) const {
    auto* steps = std::get_if<fixes::Steps>(&finding.fix);
    if (steps == nullptr) return;
    if (auto placed = all_of(*steps, workload.origin.get())) {
      finding.fix = *std::move(placed);
      return;
    }
    finding.fix = fixes::Choice{
        fmt::format("no single field of the input holds this; of the {} {} that is made: {}",
                    workload.kind, workload.name, fixes::words(finding.fix))};
  }

 private:
  using Name = std::tuple<std::string, std::string, std::string>;

  const Origin* origin_of(const fixes::Edit& edit, const Origin* own) const {
    if (!edit.object) return own;
    const auto found = by_name_.find({edit.object->kind, edit.object->ns, edit.object->name});
    return found == by_name_.end() ? nullptr : found->second;
  }

  std::optional<fixes::Steps> all_of(const fixes::Steps& steps, const Origin* own) const {
    fixes::Steps out;
    for (const fixes::Step& step : steps) {
      const auto* edit = std::get_if<fixes::Edit>(&step);
      const Origin* origin = edit == nullptr ? nullptr : origin_of(*edit, own);
      if (origin == nullptr) {
        out.push_back(step);
        continue;
      }
      auto placed = one_of(*edit, *origin, steps);
      if (!placed) return std::nullopt;
      if (!has(out, *placed)) out.emplace_back(*std::move(placed));
    }
    return out;
  }

  static bool has(const fixes::Steps& steps, const fixes::Edit& edit) {
    return std::ranges::any_of(steps, [&](const fixes::Step& each) {
      const auto* other = std::get_if<fixes::Edit>(&each);
      return other != nullptr && other->object == edit.object && other->path == edit.path &&
             other->value == edit.value;
    });
  }

  static std::optional<fixes::Edit> one_of(const fixes::Edit& edit, const Origin& origin,
                                           const fixes::Steps& steps) {
    const auto found = wrappers::where_written(origin, edit.path.to_string());
    if (!found) return std::nullopt;
    // One value of a file may stand in several places of the object: all of them change alike.
    fixes::Edit out = edit;
    const bool alike = std::ranges::all_of(found->also, [&](const std::string& part) {
      out.path = fixes::Path(part);
      return has(steps, out);
    });
    if (!alike) return std::nullopt;
    out.object = {found->written.kind, found->written.ns, found->written.name};
    out.path = fixes::Path(found->written.at);
    return out;
  }

  std::map<Name, const Origin*> by_name_;
};

Workload unopened_workload(const wrappers::Unopened& unopened) {
  Workload out;
  out.file = unopened.file;
  out.kind = unopened.kind;
  out.ns = unopened.ns;
  out.name = unopened.name;
  for (const wrappers::Fault& each : unopened.faults)
    out.findings.push_back({.denied = each.refused,
                            .id = each.refused ? "" : ids::of_explain("not-made"),
                            .sentence = each.sentence,
                            .fix = fixes::Choice{each.fix}});
  std::ranges::stable_partition(out.findings, &Finding::denied);
  conclude(out);
  if (out.verdict == Verdict::doubtful) out.sentence = "not all that it makes is known";
  return out;
}

}  // namespace

std::string origin_words(const Origin& origin) {
  std::vector<std::string> words;
  for (const source::Holder& each : origin.holders) words.push_back(holder_words(each));
  return fmt::format("{}", fmt::join(words, ", "));
}

void tell_of_wrappers(const wrappers::Opened& opened, const std::string& ns,
                      Explanation& explanation) {
  const Placer placer(opened, ns);
  for (Workload& each : explanation.workloads) {
    for (Finding& finding : each.findings) placer.place(each, finding);
    if (!each.origin) continue;
    std::vector<std::string> notes{origin_words(*each.origin)};
    notes.insert(notes.end(), each.origin->notes.begin(), each.origin->notes.end());
    each.notes.insert(each.notes.begin(), notes.begin(), notes.end());
    if (!each.origin->shown_kind.empty()) each.kind = each.origin->shown_kind;
  }
  for (const wrappers::Unopened& each : opened.unopened)
    explanation.workloads.push_back(unopened_workload(each));
  fields::UnseenFields unseen;
  for (const source::Manifest& each : opened.holders) {
    const std::string name = text::text_member(at(each.object, {"metadata"}), "name");
    explanation.beside.push_back(
        fmt::format("{} {}", text::text_member(each.object, "kind"), name));
    unseen.add(each.object);
  }
  for (fields::Unseen& each : unseen.list()) explanation.unseen.push_back(std::move(each));
}

}  // namespace tpuwh::server::explain
