#include "kubectl/predict/explain/text.hpp"

#include "base/counted.hpp"
#include "kubectl/predict/explain/fold.hpp"
#include "kubectl/predict/explain/group_text.hpp"
#include "kubectl/predict/explain/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tpuwh::server::explain {

namespace {

using base::counted;
using text::Ink;

constexpr std::size_t most_in_full = 3;  // objects; of more a line each
constexpr std::size_t most_lines = 25;   // of objects
constexpr std::size_t most_alike = 2;    // findings with one id
constexpr std::size_t most_around = 6;   // objects read beside
constexpr std::size_t most_help = 3;     // commands
constexpr std::size_t most_unseen = 6;   // fields

struct Look {
  const char* sign;
  Ink ink;
};

Look look_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::fine:
      return {"✓", Ink::green};
    case Verdict::doubtful:
      return {"!", Ink::yellow};
    case Verdict::refused:
      return {"✗", Ink::red};
    case Verdict::no_tpu:
      break;
  }
  return {"·", Ink::dim};
}

void print_verdict(const Workload& workload, TextLines& out) {
  const Look look = look_of(workload.verdict);
  const auto name = fmt::format("{} {}/{}", workload.kind, workload.ns, workload.name);
  out.line("{} {}: {}", out.paint(std::string_view(look.sign), look.ink),
           out.paint(name, Ink::bold), workload.sentence);
}

void print_outlook(const outlook::WorkloadOutlook& outlook, TextLines& out) {
  const bool stopped =
      outlook.verdict == outlook::Verdict::waits || outlook.verdict == outlook::Verdict::broken;
  const Ink ink = outlook.verdict == outlook::Verdict::forms ? Ink::green
                  : stopped                                  ? Ink::yellow
                                                             : Ink::dim;
  out.line("  {}", out.paint(outlook.sentence, ink));
  for (const outlook::Wait& wait : outlook.waits) {
    out.line("  {} {}", out.paint(std::string_view("!"), Ink::yellow), wait.what);
    const std::size_t shown = std::min(wait.help.size(), out.most(most_help));
    for (std::size_t i = 0; i < shown; ++i) out.block(wait.help[i].text());
    if (shown < wait.help.size())
      out.line("    … {} more; --all prints them", counted(wait.help.size() - shown, "command"));
  }
  for (const std::string& each : outlook.not_known)
    if (!outlook.sentence.ends_with(each)) out.line("  not known: {}", each);  // said above
}

void print_fix(const fixes::Fix& fix, TextLines& out) {
  if (const std::string words = fixes::words(fix); !words.empty())
    out.line("      {}", out.paint(words, Ink::dim));
  for (const std::string& command : fixes::commands(fix)) out.block(command);
}

void print_finding(const Finding& finding, bool with_fix, TextLines& out) {
  const Ink ink = finding.denied ? Ink::red : Ink::yellow;
  const std::string whose =
      finding.pods == 0 ? "" : fmt::format(" ({})", counted(finding.pods, "Pod"));
  out.line("  {}{}{}{}: {}",
           out.paint(std::string_view(finding.denied ? "✗ denied" : "! warning"), ink),
           finding.id.empty() ? "" : " ", finding.title(), whose, finding.sentence);
  if (with_fix) print_fix(finding.fix, out);
}

// Several with one id have one fix; it stands under the last of them that is shown.
void print_findings(const std::vector<Finding>& findings, TextLines& out) {
  for (std::size_t first = 0; first < findings.size();) {
    std::size_t end = first + 1;
    while (end < findings.size() && findings[end].id == findings[first].id &&
           findings[end].denied == findings[first].denied)
      ++end;
    const std::size_t shown = std::min(end, first + std::min(end, out.most(most_alike)));
    for (std::size_t i = first; i < shown; ++i)
      print_finding(findings[i], i + 1 == shown && end == shown, out);
    if (shown < end) {
      out.line("    … {} more of {}; --all prints them", end - shown, findings[first].id);
      print_fix(findings[first].fix, out);
    }
    first = end;
  }
}

std::vector<std::string> words_of(const std::vector<fields::Unseen>& unseen) {
  std::vector<std::string> out;
  for (const fields::Unseen& each : unseen) out.push_back(each.words());
  return out;
}

// How far the verdict goes.
void print_reach(const Workload& workload, TextLines& out) {
  const bool forms = !workload.outlook || workload.outlook->verdict == outlook::Verdict::forms;
  if (workload.verdict == Verdict::fine)
    out.line("  {}", forms ? stops_nothing : manifest_stops_nothing);
  if (!workload.unseen.empty())
    out.line("  not looked at: {}", folded(words_of(workload.unseen), out.most(most_unseen)));
}

void print_in_full(const Workload& workload, TextLines& out) {
  print_verdict(workload, out);
  print_reach(workload, out);
  if (workload.outlook) print_outlook(*workload.outlook, out);
  print_findings(workload.findings, out);
  if (workload.other_pods > 0 && !workload.groups.empty())
    out.line("  beside them {} without chips", counted(workload.other_pods, "Pod"));
  for (const std::string& note : workload.notes) out.line("  {}", note);
  for (const Group& group : workload.groups)
    print_group(
        group,
        {.titled = workload.groups.size() > 1, .pools = !workload.outlook || out.style().all}, out);
}

// A line for each object, the worst first.
void print_many(const Explanation& explanation, TextLines& out) {
  std::vector<const Workload*> workloads;
  for (const Workload& each : explanation.workloads) workloads.push_back(&each);
  std::ranges::stable_sort(workloads, std::ranges::greater{}, &Workload::verdict);
  const std::size_t shown = std::min(workloads.size(), most_lines);
  for (std::size_t i = 0; i < shown; ++i) {
    print_verdict(*workloads[i], out);
    if (!workloads[i]->unseen.empty())
      out.line("  {} of it not looked at", counted(workloads[i]->unseen.size(), "field"));
  }
  if (shown < workloads.size())
    out.line("… {} more; --all shows each in full", workloads.size() - shown);
  else
    out.line("--all shows each in full");
}

void print_total(const Explanation& explanation, TextLines& out) {
  std::array<std::size_t, 4> of{};
  std::uint64_t slices = 0, pods = 0, chips = 0;
  for (const Workload& each : explanation.workloads) {
    ++of.at(static_cast<std::size_t>(each.verdict));
    slices += each.slices();
    pods += each.pods();
    chips += each.chips();
  }
  out.line("{}: {} refused, {} doubtful, {} fine, {} without chips; {}, {}, {}",
           counted(explanation.workloads.size(), "object"), of[3], of[2], of[1], of[0],
           counted(slices, "slice"), counted(pods, "Pod"), counted(chips, "chip"));
}

void print_around(const Explanation& explanation, TextLines& out) {
  if (!explanation.beside.empty())
    out.line("read beside: {}", folded(explanation.beside, out.most(most_around)));
  if (!explanation.unseen.empty())
    out.line("not looked at of these: {}",
             folded(words_of(explanation.unseen), out.most(most_unseen)));
  if (!explanation.not_read.empty()) {
    out.line("{}", out.paint(fmt::format("not read, though Pods are made of it: {}",
                                         folded(explanation.not_read, out.most(most_around))),
                             Ink::yellow));
    out.line("  the Pods of such objects, and their slices, are not known");
  }
  if (!explanation.passed_over.empty())
    out.line("nothing is read of: {}", folded(explanation.passed_over, out.most(most_around)));
  for (const std::string& each : explanation.not_known) out.line("not known: {}", each);
}

// What the API server says.
void print_tried(const std::vector<trial::Tried>& tried, TextLines& out) {
  out.gap();
  out.line("{}", out.paint("as the API server answers (dry runs; nothing is stored)", Ink::bold));
  for (const trial::Tried& each : tried) {
    const bool bad = each.said == trial::Said::refused;
    const bool odd = each.said == trial::Said::not_asked || !each.differs.empty();
    const auto sign = out.paint(bad                                   ? "✗"
                                : each.said == trial::Said::not_asked ? "?"
                                                                      : "✓",
                                bad   ? Ink::red
                                : odd ? Ink::yellow
                                      : Ink::green);
    out.line("{} {}", sign, trial::words(each));
    const std::size_t shown = std::min(each.differs.size(), out.most(most_around));
    for (std::size_t i = 0; i < shown; ++i) out.line("    {}", each.differs[i]);
    if (shown < each.differs.size())
      out.line("    … {} more; --all shows them", each.differs.size() - shown);
  }
}

}  // namespace

text::Printed text(const Explanation& explanation, TextStyle style) {
  TextLines out(style);
  if (explanation.workloads.empty())
    out.line("nothing {} makes Pods",
             explanation.not_read.empty() && explanation.passed_over.empty()
                 ? "in it"
                 : "of it that is read");
  else if (style.all || explanation.workloads.size() <= most_in_full)
    for (const Workload& each : explanation.workloads) {
      if (&each != &explanation.workloads.front()) out.gap();
      print_in_full(each, out);
    }
  else
    print_many(explanation, out);
  if (explanation.workloads.size() > 1) {
    out.gap();
    print_total(explanation, out);
  }
  print_around(explanation, out);
  if (explanation.tried) print_tried(*explanation.tried, out);
  return out.take();
}

}  // namespace tpuwh::server::explain
