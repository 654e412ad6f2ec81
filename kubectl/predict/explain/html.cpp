#include "kubectl/predict/explain/html.hpp"

#include "base/counted.hpp"
#include "kubectl/predict/explain/findings_page.hpp"
#include "kubectl/predict/explain/group_page.hpp"
#include "kubectl/predict/explain/page_parts.hpp"
#include "kubectl/predict/explain/style.hpp"
#include "server/text/version.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

namespace tpuwh::server::explain {

namespace {

constexpr auto max = std::numeric_limits<std::size_t>::max();

struct VerdictLook {
  Markup colour, sign, words;
};

VerdictLook look_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::fine:
      return {"ok", "✓", "Nothing in the input stops its slices"};
    case Verdict::doubtful:
      return {"warn", "!", "Allowed, with warnings"};
    case Verdict::refused:
      return {"bad", "✗", "Would be refused"};
    case Verdict::no_tpu:
      break;
  }
  return {"none", "·", "Asks for no TPU chips"};
}

// What a cluster has now says more than that slices can form at all.
VerdictLook look_of(const Workload& workload) {
  if (workload.verdict == Verdict::no_tpu && !workload.claimed.empty())
    return {"none", "·", "Whether it asks for TPU chips is not known"};
  if (workload.verdict != Verdict::fine || !workload.outlook) return look_of(workload.verdict);
  switch (workload.outlook->verdict) {
    case outlook::Verdict::forms:
      return {"ok", "✓", "Its slices form now"};
    case outlook::Verdict::waits:
      return {"warn", "!", "Its slices cannot form now"};
    case outlook::Verdict::broken:
      return {"warn", "!", "Its slices cannot form as they are"};
    case outlook::Verdict::not_known:
      break;
  }
  return look_of(workload.verdict);
}

std::string full_name(const Workload& workload) {
  return workload.ns.empty() ? fmt::format("{} {}", workload.kind, workload.name)
                             : fmt::format("{} {}/{}", workload.kind, workload.ns, workload.name);
}

// The heading of the page's only object, whose name is above it.
Markup verdict_html(const Workload& workload, bool alone) {
  const VerdictLook look = look_of(workload);
  const Markup colour = "class=\"word " + look.colour + "\"";
  Markup words = alone ? element("h2", colour, look.words) : element("p", colour, look.words);
  if (!workload.sentence.empty()) words += element("p", words_html(workload.sentence));
  return element("div", "class=\"verdict\"",
                 sign_html(look.colour, look.sign) + element("div", words)) +
         "\n";
}

std::string title_of(const Group& group) {
  return group.title.empty() ? "group without a name" : group.title;
}

// Of a group among several, below its own title.
Markup titled_group(const Workload& workload, const Group& group, PageRoom& room) {
  if (workload.groups.size() == 1) return group_html(group, "h3", room);
  return element("h3", "class=\"group\"", escaped(title_of(group))) + numbers_html(group) +
         group_html(group, "h4", room);
}

// One part of each group, below one heading.
Markup of_groups(const Workload& workload, const Markup& heading, Markup (*part)(const Group&)) {
  Markup out;
  for (const Group& group : workload.groups) {
    const Markup made = part(group);
    if (made.empty()) continue;
    if (workload.groups.size() > 1) out += element("h4", escaped(title_of(group)));
    out += made;
  }
  return out.empty() ? out : element("h3", heading) + out;
}

Markup under(const Markup& heading, const Markup& body) {
  return body.empty() ? body : element("h3", heading) + body;
}

Markup unseen_html(const std::vector<fields::Unseen>& unseen) {
  std::vector<std::string> words;
  for (const fields::Unseen& each : unseen) words.push_back(each.words());
  return list_html(words);
}

Markup file_html(const Workload& workload) {
  if (workload.file.empty()) return {};
  // A page is shown to others: where it stood here is nobody's business.
  const std::string name = std::filesystem::path(workload.file).filename().string();
  return element("p", "class=\"quiet small\"", "in " + escaped(name));
}

Markup other_pods_html(const Workload& workload) {
  if (workload.other_pods == 0) return {};
  return element("p", "class=\"quiet\"",
                 escaped("and " + base::counted(workload.other_pods, "Pod") + " without chips"));
}

// What is wrong and what it waits for comes before what it is made of.
Markup workload_html(const Workload& workload, const Markup& id, bool alone, PageRoom& room) {
  Markup out;
  if (!alone)
    out += element("h2", "id=\"" + id + "\"", escaped(full_name(workload))) + file_html(workload);
  out += verdict_html(workload, alone);
  if (workload.groups.size() == 1) out += numbers_html(workload.groups.front());
  out += other_pods_html(workload);
  out += under("Findings", findings_html(workload.findings));
  if (workload.outlook) out += under("In the cluster now", outlook_html(*workload.outlook));
  for (const Group& group : workload.groups) out += titled_group(workload, group, room);
  out += of_groups(workload, "Node pools to create", node_pools_html);
  out += of_groups(workload, "Chips and hosts", picture_html);
  out += under("Notes", list_html(workload.notes));
  out += under("Set, and not looked at", unseen_html(workload.unseen));
  return element("section", "class=\"card\" aria-labelledby=\"" + id + "\"", out) + "\n";
}

std::string title_text(const Explanation& explanation) {
  const auto& workloads = explanation.workloads;
  if (workloads.empty()) return "Nothing that makes TPU Pods";
  if (workloads.size() == 1) return full_name(workloads.front());
  return fmt::format("{} objects that make Pods", workloads.size());
}

Markup contents_html(const Explanation& explanation) {
  if (explanation.workloads.size() < 2) return {};
  Markup items;
  for (std::size_t i = 0; i < explanation.workloads.size(); ++i) {
    const Workload& workload = explanation.workloads[i];
    const VerdictLook look = look_of(workload);
    items += element("li",
                     element("span", "class=\"word " + look.colour + "\"", look.sign) +
                         element("span", element("a", "href=\"#w" + number(i) + "\"",
                                                 escaped(full_name(workload))) +
                                             " " + element("span", "class=\"quiet\"", look.words)));
  }
  return element("nav", "aria-label=\"Objects\"", element("ol", items));
}

Markup header_html(const Explanation& explanation) {
  Markup out = element("p", "class=\"by\"", "The result of a manifest: kubectl tpu explain");
  out += element("h1", "id=\"page\"", escaped(title_text(explanation)));
  if (explanation.workloads.size() == 1) out += file_html(explanation.workloads.front());
  return element("header", out + contents_html(explanation)) + "\n";
}

Markup tried_html(const std::vector<trial::Tried>& tried) {
  std::vector<std::string> words;
  for (const trial::Tried& each : tried) {
    words.push_back(trial::words(each));
    for (const std::string& other : each.differs) words.back() += "; " + other;
  }
  return list_html(words);
}

Markup rest_html(const Explanation& explanation) {
  Markup out = under("Also read", list_html(explanation.beside));
  out += under("Not looked at of these", unseen_html(explanation.unseen));
  out += under("Skipped, since they do not concern slices", list_html(explanation.passed_over));
  out += under("Not known about the cluster", list_html(explanation.not_known));
  if (explanation.tried)
    out += under("As the API server answers (dry runs)", tried_html(*explanation.tried));
  return out.empty() ? out : element("section", "class=\"card\" aria-label=\"Input\"", out);
}

Markup footer_html() {
  return element("footer", "Written by tpu-webhook " + escaped(text::version) +
                               ". This page loads nothing and runs no script.");
}

Markup head_html(const Explanation& explanation) {
  Markup policy = "default-src 'none'; style-src '";
  policy += escaped(page_style_hash);
  policy += "'; base-uri 'none'; form-action 'none'";
  return element(
      "head", "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"" +
                  policy +
                  "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n" +
                  element("title", escaped(title_text(explanation) + " - kubectl tpu explain")) +
                  "\n" + element("style", Markup::trusted(std::string(page_style))) + "\n");
}

}  // namespace

std::string html(const Explanation& explanation, bool all) {
  PageRoom room = all ? PageRoom{.members = max, .long_values = max} : PageRoom{};
  Markup body;
  const bool alone = explanation.workloads.size() == 1;
  for (std::size_t i = 0; i < explanation.workloads.size(); ++i)
    body += workload_html(explanation.workloads[i], alone ? Markup("page") : "w" + number(i), alone,
                          room);
  body += rest_html(explanation);
  const Markup page = header_html(explanation) + element("main", body) + footer_html();
  return ("<!DOCTYPE html>\n" +
          element("html", "lang=\"en\"", head_html(explanation) + element("body", page)) + "\n")
      .text();
}

}  // namespace tpuwh::server::explain
