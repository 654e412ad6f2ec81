#include "kubectl/predict/explain/findings_page.hpp"

#include "kubectl/predict/explain/page_parts.hpp"

#include <algorithm>

namespace tpuwh::server::explain {

namespace {

Markup said_of(const Finding& finding) {
  if (finding.pods == 0) return "reported for the object";
  return "reported for " + number(finding.pods) +
         (finding.pods == 1 ? Markup(" Pod") : Markup(" Pods"));
}

std::string one_below_the_other(const std::vector<std::string>& commands) {
  std::string out;
  for (const std::string& command : commands) out += (out.empty() ? "" : "\n") + command;
  return out;
}

Markup finding_html(const Finding& finding) {
  const Markup colour = finding.denied ? Markup("bad") : Markup("warn");
  Markup lead = finding.denied ? Markup("✗ Denied") : Markup("! Warning");
  if (!finding.id.empty()) lead += " " + element("code", escaped(finding.title()));
  Markup body = element("p", element("span", "class=\"lead " + colour + "\"", lead) + " " +
                                 element("span", "class=\"quiet small\"", said_of(finding)));
  body += element("p", words_html(finding.sentence));
  if (const std::string fix = fixes::words(finding.fix); !fix.empty())
    body += element("p", element("span", "class=\"word\"", "Fix: ") + words_html(fix));
  if (const auto commands = fixes::commands(finding.fix); !commands.empty())
    body += commands_html("To do it", one_below_the_other(commands));
  return element("div", "class=\"finding " + colour + "\"", body) + "\n";
}

Markup cause_words(outlook::Cause cause) {
  switch (cause) {
    case outlook::Cause::no_pool:
      return "No node pool of the shape";
    case outlook::Cause::pool_taken:
      return "The node pools of the shape are taken";
    case outlook::Cause::pool_too_small:
      return "The node pool is too small";
    case outlook::Cause::pool_unusable:
      return "The node pool cannot be used";
    case outlook::Cause::capacity:
      return "Capacity";
    case outlook::Cause::quota:
      return "Quota";
    case outlook::Cause::driver:
      return "The driver of claims";
    case outlook::Cause::service:
      return "A Service is missing";
    case outlook::Cause::gate:
      return "A scheduling gate";
  }
  return "Something else";
}

std::vector<std::string> texts(const std::vector<fixes::Command>& commands) {
  std::vector<std::string> out;
  for (const fixes::Command& each : commands) out.push_back(each.text());
  return out;
}

Markup wait_html(const outlook::Wait& wait) {
  Markup body = element("p", "class=\"lead warn\"", "! " + cause_words(wait.cause)) +
                element("p", words_html(wait.what));
  if (!wait.help.empty())
    body += commands_html("What helps", one_below_the_other(texts(wait.help)));
  return element("div", "class=\"wait warn\"", body) + "\n";
}

Markup places_html(const std::vector<outlook::SlicePlace>& places) {
  if (places.empty()) return {};
  constexpr std::size_t most = 200;
  TableHtml table("Where the slices can form now", {{"Slice"}, {"Node pool"}});
  for (std::size_t i = 0; i < std::min(places.size(), most); ++i) {
    const Markup pool = places[i].pool.empty() ? element("span", "class=\"warn\"", "! none")
                                               : element("code", escaped(places[i].pool));
    const std::string& title = places[i].title;
    table.add({{title.empty() ? Markup("the slice") : escaped(title), "", true}, {pool}});
  }
  Markup out = table.markup();
  if (places.size() > most)
    out += element("p", "class=\"quiet\"", "and " + number(places.size() - most) + " more");
  return out;
}

// The sentence begins with what it does: "waits for", "forms now".
Markup outlook_lead(const outlook::WorkloadOutlook& outlook) {
  const Markup sentence = words_html(outlook.sentence);
  switch (outlook.verdict) {
    case outlook::Verdict::forms:
      return element("p", "class=\"word ok\"", "✓ " + sentence);
    case outlook::Verdict::waits:
    case outlook::Verdict::broken:
      return element("p", "class=\"word warn\"", "! " + sentence);
    case outlook::Verdict::not_known:
      break;
  }
  return element("p", "class=\"word quiet\"", "? " + sentence);
}

}  // namespace

Markup findings_html(const std::vector<Finding>& findings) {
  Markup denials, warnings;
  for (const Finding& finding : findings)
    (finding.denied ? denials : warnings) += finding_html(finding);
  return denials + warnings;
}

Markup outlook_html(const outlook::WorkloadOutlook& outlook) {
  Markup out = outlook_lead(outlook);
  out += places_html(outlook.places);
  for (const outlook::Wait& wait : outlook.waits) out += wait_html(wait);
  if (!outlook.not_known.empty())
    out += element("p", "class=\"word\"", "Not known") + list_html(outlook.not_known);
  return out;
}

}  // namespace tpuwh::server::explain
