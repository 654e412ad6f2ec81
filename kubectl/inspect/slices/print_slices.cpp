#include "kubectl/inspect/slices/print_slices.hpp"

#include "base/counted.hpp"
#include "kubectl/inspect/slices/hold_ups.hpp"
#include "kubectl/inspect/slices/standing.hpp"
#include "kubectl/print/ranges.hpp"
#include "kubectl/print/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

namespace tpuwh::server::slices {

namespace {

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string workload_of(const SliceReport& slice) {
  return fmt::format("{}/{}{}{}", slice.kind, slice.group, slice.part.empty() ? "" : "/",
                     slice.part);
}

std::string index_of(const SliceReport& slice) {
  if (!slice.slice) return "-";
  return slice.slices > 0 ? fmt::format("{} of {}", *slice.slice, slice.slices)
                          : fmt::format("{}", *slice.slice);
}

// "4 ended", "3 ended, 1 failed".
std::string ended_of(const SliceReport& slice) {
  const auto by_life = std::ranges::count(slice.ended, Life::failed, &SeenPod::life);
  const auto ended = std::ssize(slice.ended) - by_life;
  // One that failed and whose place another had to a good end was replaced.
  const auto failed = slice.hosts > 0 ? std::ssize(slice.failed) : by_life;
  if (failed == 0) return fmt::format("{} ended", ended);
  return ended == 0 ? fmt::format("{} failed", failed)
                    : fmt::format("{} ended, {} failed", ended, failed);
}

// "3 of 4, missing 2", "5 of 4, duplicate 1".
std::string members_of(const SliceReport& slice) {
  if (slice.members.empty()) return ended_of(slice);
  // Of several slices, and nothing says which of them each is of.
  if (slice.multi_host() && !slice.places_known() && slice.members.size() > slice.hosts)
    return fmt::format("{}, of slices of {}", slice.members.size(), slice.hosts);
  if (slice.hosts == 0) return fmt::format("{} of ?", slice.members.size());
  std::string out = fmt::format("{} of {}", slice.members.size(), slice.hosts);
  if (slice.multi_host() && !slice.places_known()) out += ", hosts not known";
  if (!slice.missing.empty()) out += ", missing " + print::as_ranges(slice.missing);
  if (!slice.duplicates.empty()) out += ", duplicate " + print::as_ranges(slice.duplicates);
  if (const auto leaving = slice.members.size() - slice.staying.size(); leaving > 0)
    out += fmt::format(", {} being deleted", leaving);
  return out;
}

std::vector<std::uint32_t> ids_of(const SliceReport& slice) {
  std::vector<std::uint32_t> ids;
  for (const auto& [id, pods] : slice.worker_ids) ids.push_back(id);
  return ids;
}

std::string worker_ids_of(const SliceReport& slice) {
  std::string out = print::as_ranges(ids_of(slice));
  if (!slice.worker_ids_known) return out.empty() ? "not known" : out + ", some not known";
  if (!slice.duplicate_ids.empty()) out += ", duplicate " + print::as_ranges(slice.duplicate_ids);
  return or_dash(out);
}

// A line for each slice that has begun where it cannot become whole.
text::Printed troubles_text(const std::vector<SliceReport>& slices) {
  text::Printed out;
  for (const SliceReport& slice : slices)
    if (!slice.pool.what.empty())
      out += text::printed("{}: started on a pool that cannot hold it{}: {}\n", slice.full_name(),
                           slice.pool.may_pass ? " yet" : "",
                           fmt::format("{}", fmt::join(slice.pool.what, ", ")));
  return out;
}

// Of one slice so many reasons at the most are told.
constexpr std::size_t most_reasons = 4;

std::string_view lead_of(HoldUp::Kind kind) {
  switch (kind) {
    case HoldUp::Kind::waits:
      return "waits for";
    case HoldUp::Kind::leaves:
      return "waits for the end of";
    case HoldUp::Kind::replaced:
      return "waits for a successor of";
    case HoldUp::Kind::lost:
      break;
  }
  return "has lost";
}

// "waits for Pod a: container main is in ImagePullBackOff", a line for each reason.
text::Printed waits_text(const Cluster& cluster, const std::vector<SliceReport>& slices) {
  text::Printed out;
  for (const SliceReport& slice : slices) {
    const auto all = hold_ups_of(cluster, slice);
    for (const HoldUp& each : std::span(all).first(std::min(all.size(), most_reasons)))
      out += text::printed("{}: {} {}: {}\n", slice.full_name(), lead_of(each.kind),
                           names_of(each.pods), each.what);
    if (all.size() > most_reasons)
      out += text::printed("{}: {} more\n", slice.full_name(),
                           base::counted(all.size() - most_reasons, "reason"));
  }
  return out;
}

Json waits_json(const Cluster& cluster, const SliceReport& slice) {
  Json out = Json::array();
  for (const HoldUp& each : hold_ups_of(cluster, slice)) {
    Json pods = Json::array();
    for (const SeenPod* pod : each.pods) pods.push_back(pod->name);
    out.push_back(Json{{"pods", std::move(pods)}, {"why", name(each.kind)}, {"what", each.what}});
  }
  return out;
}

std::string pools_of(const Cluster& cluster, const SliceReport& slice) {
  if (!cluster.knows_nodes() || slice.unknown_nodes > 0) return "not known";
  return or_dash(fmt::format("{}", fmt::join(slice.pools, ",")));
}

Json name_json(const SliceReport& slice) {
  Json out = {{"namespace", slice.ns},
              {"workload", slice.kind},
              {"name", slice.group},
              {"part", slice.part.empty() ? Json() : Json(slice.part)},
              {"slice", slice.slice ? Json(*slice.slice) : Json()}};
  return out;
}

Json number_or_null(std::uint32_t number) {
  return number > 0 ? Json(number) : Json();
}

bool runs(const Cluster& cluster, const SeenPod& pod) {
  return how_it_stands(cluster, pod).standing == Standing::runs;
}

Json slice_json(const Cluster& cluster, const SliceReport& slice) {
  Json out = name_json(slice);
  out["slices"] = number_or_null(slice.slices);
  out["accelerator"] = slice.accelerator;
  out["topology"] = slice.topology;
  out["hosts"] = number_or_null(slice.hosts);
  out["phase"] = name(slice.phase);
  out["missing"] = slice.missing;
  out["duplicates"] = slice.duplicates;
  out["workerIds"] = ids_of(slice);
  out["duplicateWorkerIds"] = slice.duplicate_ids;
  out["workerIdsKnown"] = slice.worker_ids_known;
  const bool pools_known = cluster.knows_nodes() && slice.unknown_nodes == 0;
  out["pools"] = pools_known ? Json(slice.pools) : Json();
  out["poolTroubles"] = slice.pool.what;
  out["waits"] = waits_json(cluster, slice);
  out["members"] = Json::array();
  for (const auto* pods : {&slice.members, &slice.leaving})
    for (const SeenPod* pod : *pods)
      out["members"].push_back(Json{{"pod", pod->name},
                                    {"host", pod->host ? Json(*pod->host) : Json()},
                                    {"node", pod->node.empty() ? Json() : Json(pod->node)},
                                    {"running", runs(cluster, *pod)},
                                    {"terminating", pod->terminating}});
  return out;
}

std::string_view name(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

std::size_t pods_in(const std::vector<SliceReport>& slices) {
  std::size_t pods = 0;
  for (const SliceReport& slice : slices) pods += slice.members.size() + slice.leaving.size();
  return pods;
}

std::string_view id_of(const Finding& finding) {
  return ids::id_of(ids::audit_rows, finding.check);
}

text::Printed finding_text(const Finding& finding, bool colour) {
  const text::Ink ink = finding.severity == Severity::error ? text::Ink::red : text::Ink::yellow;
  const auto severity = text::paint(text::printed("{}", name(finding.severity)), ink, colour);
  const auto slice = text::printed(
      "{}{}", finding.slice->full_name(),
      finding.others.empty() ? "" : " and " + base::counted(finding.others.size(), "other slice"));
  return text::printed("{} {} {}: {}\n  {}\n  fix: {}\n\n", severity, finding.check, id_of(finding),
                       text::paint(slice, text::Ink::bold, colour), finding.what, finding.fix);
}

text::Printed not_known_text(const std::vector<std::string>& sentences) {
  text::Printed out;
  for (const std::string& each : sentences) out += text::printed("not known: {}\n", each);
  return out;
}

}  // namespace

text::Printed slices_text(const Cluster& cluster, const std::vector<SliceReport>& slices,
                          bool colour) {
  text::Printed below =
      troubles_text(slices) + waits_text(cluster, slices) + not_known_text(cluster.unreadable);
  if (slices.empty()) return text::Printed("no Pod asks for google.com/tpu\n") + below;
  if (!cluster.knows_nodes()) below += "not known: node pools, because there are no Nodes\n";
  print::Table table({"NAMESPACE", "WORKLOAD", "SLICE", "ACCELERATOR", "TOPOLOGY", "MEMBERS",
                      "WORKER IDS", "POOL", "PHASE"});
  for (const SliceReport& slice : slices)
    table.add({slice.ns, workload_of(slice), index_of(slice), or_dash(slice.accelerator),
               or_dash(slice.topology), members_of(slice), worker_ids_of(slice),
               pools_of(cluster, slice), std::string(name(slice.phase))});
  text::Printed out = table.text(colour);
  if (!below.empty()) out += text::Printed("\n") + below;
  return out;
}

Json slices_json(const Cluster& cluster, const std::vector<SliceReport>& slices) {
  Json out = {{"slices", Json::array()}, {"notKnown", cluster.unreadable}};
  for (const SliceReport& slice : slices) out["slices"].push_back(slice_json(cluster, slice));
  return out;
}

text::Printed audit_text(const Audit& audit, const std::vector<SliceReport>& slices, bool colour) {
  text::Printed out;
  for (const Finding& each : audit.findings) out += finding_text(each, colour);
  out += not_known_text(audit.not_known);
  const std::size_t errors = audit.errors(), warnings = audit.findings.size() - errors;
  return out + text::printed("{} and {} in {} of {}\n", base::counted(errors, "error"),
                             base::counted(warnings, "warning"),
                             base::counted(slices.size(), "slice"),
                             base::counted(pods_in(slices), "living TPU Pod"));
}

Json audit_json(const Audit& audit, const std::vector<SliceReport>& slices) {
  const std::size_t errors = audit.errors();
  Json out = {{"slices", slices.size()},   {"pods", pods_in(slices)},
              {"errors", errors},          {"warnings", audit.findings.size() - errors},
              {"findings", Json::array()}, {"notKnown", audit.not_known}};
  for (const Finding& finding : audit.findings) {
    Json each = {
        {"severity", name(finding.severity)}, {"check", finding.check}, {"id", id_of(finding)}};
    each.update(name_json(*finding.slice));
    Json others = Json::array();
    for (const SliceReport* slice : finding.others) others.push_back(name_json(*slice));
    each["others"] = std::move(others);
    each["pods"] = finding.pods;
    each["what"] = finding.what;
    each["fix"] = finding.fix;
    out["findings"].push_back(std::move(each));
  }
  return out;
}

}  // namespace tpuwh::server::slices
