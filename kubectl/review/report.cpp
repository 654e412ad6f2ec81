#include "kubectl/review/report.hpp"

#include "base/counted.hpp"
#include "kubectl/print/line_diff.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/text/json_text.hpp"
#include "webhook/reasons/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::review {

namespace {

// Text of others.
text::Printed paint(std::string_view text, text::Ink ink, Style style) {
  return text::paint(text::printed("{}", text), ink, style.colour);
}

std::string title(const ReviewOutcome& outcome) {
  if (outcome.kind.empty()) return "input";
  const std::string name = outcome.name.empty() ? "(no name)" : outcome.name;
  return fmt::format("{} {}{}", outcome.kind, outcome.ns.empty() ? "" : outcome.ns + "/", name);
}

std::string allowed(const ReviewOutcome& outcome) {
  const std::size_t warnings = outcome.warnings.size();
  const std::string with = warnings == 0 ? "" : " with " + base::counted(warnings, "warning");
  if (!outcome.patch.empty())
    return fmt::format("allowed{}, {} changes", with, outcome.patch.size());
  if (outcome.reason == webhook::outcome::Reason::checked)
    return fmt::format("allowed{}, never patched itself; `explain` shows what its Pods get", with);
  return fmt::format("allowed{}, unchanged", with);
}

text::Printed verdict(const ReviewOutcome& outcome, Style style) {
  switch (outcome.verdict) {
    case Verdict::allowed:
      return paint(allowed(outcome),
                   outcome.warnings.empty() ? text::Ink::green : text::Ink::yellow, style);
    case Verdict::denied:
      return paint("denied", text::Ink::red, style);
    case Verdict::unusable:
      return paint("unusable", text::Ink::red, style);
  }
  return {};
}

// A long list is told by its ends and its length.
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 160, shown = 70;
  if (text.size() <= longest) return text;
  return fmt::format("{} … {} ({} bytes)", text.substr(0, shown), text.substr(text.size() - shown),
                     text.size());
}

struct Change {
  std::string what;
  std::string why;
};

// "/metadata/labels/tpu-webhook.dev~1priority" as a person says it.
std::string in_words(std::string path) {
  struct Spoken {
    std::string_view pointer, words;
  };
  static constexpr Spoken beginnings[] = {{"/metadata/labels/", "label "},
                                          {"/metadata/annotations/", "annotation "},
                                          {"/metadata/", "metadata."},
                                          {"/spec/", "spec."}};
  for (const auto& [pointer, words] : beginnings)
    if (path.starts_with(pointer)) {
      path.replace(0, pointer.size(), words);
      break;
    }
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '/')
      out += '.';
    else if (path[i] == '~' && i + 1 < path.size())
      out += path[++i] == '1' ? '/' : '~';
    else
      out += path[i];
  }
  if (out.ends_with(".-")) out.resize(out.size() - 2);
  return out;
}

// The name of what stands at a place; "" where nothing does.
std::string name_at(const Json& pod, const std::string& path) {
  const Json::json_pointer place(path);
  return pod.contains(place) ? text::text_member(pod.at(place), "name") : std::string();
}

// The container at the beginning of a pointer into its env, by name.
std::string container_of(const std::string& path, const Json& pod) {
  for (const std::string_view list : {"/spec/containers/", "/spec/initContainers/"})
    if (path.starts_with(list)) {
      return name_at(pod, path.substr(0, path.find('/', list.size())));
    }
  return {};
}

struct Reporter {
  const ReviewOutcome& outcome;
  const webhook::config::Config& config;
  std::vector<Change> changes;

  void variable(const Json& entry, const std::string& container) {
    const std::string name = entry.at("name").get<std::string>();
    const std::string text = entry.contains("value")
                                 ? entry["value"].get<std::string>()
                                 : "from " + text::dump_or_throw(entry.at("valueFrom"));
    changes.push_back({fmt::format("{}: {}={}", container, name, shortened(text)),
                       webhook::reasons::explain_variable(name, outcome.workload)});
  }

  // A variable by name, anything else by its path.
  void operation(const Json& op) {
    const std::string path = op.at("path").get<std::string>();
    const std::string kind = op.at("op").get<std::string>();
    const Json value = op.value("value", Json());
    const std::string container = container_of(path, outcome.before);
    if (path.ends_with("/env") && value.is_array()) {
      for (const Json& entry : value) variable(entry, container);
      return;
    }
    if (kind == "add" && !container.empty()) return variable(value, container);
    if (value.is_object() && value.empty()) return;  // a map for what follows
    const std::string text = value.is_null()     ? std::string("removed")
                             : value.is_string() ? value.get<std::string>()
                                                 : text::dump_or_throw(value);
    const std::string where =
        container.empty() ? in_words(path) : container + ": " + variable_at(path);
    changes.push_back({fmt::format("{} = {}", where, shortened(text)),
                       webhook::reasons::explain_path(kind, path, config.prefix)});
  }

  // The name of the entry that a pointer like "…/env/3/value" is in.
  std::string variable_at(const std::string& path) const {
    const auto env = path.find("/env/");
    return name_at(outcome.before, path.substr(0, path.find('/', env + 5)));
  }
};

text::Printed head(const ReviewOutcome& outcome, Style style) {
  return text::printed("{}: {}\n", paint(title(outcome), text::Ink::bold, style),
                       verdict(outcome, style));
}

}  // namespace

text::Printed as_text(const ReviewOutcome& outcome, const webhook::config::Config& config,
                      Style style) {
  text::Printed out = head(outcome, style);
  if (outcome.verdict == Verdict::unusable) return out + text::printed("  {}\n", outcome.message);
  if (!outcome.workload.empty())
    out += text::printed("  found     {}{}{}\n", outcome.workload,
                         outcome.description.empty() ? "" : ": ", outcome.description);
  // One conclusion: that nothing was found is not said beside what was.
  const bool found =
      outcome.reason == webhook::outcome::Reason::checked && !outcome.warnings.empty();
  if (!found)
    out += text::printed("  because   {}\n", webhook::reasons::explain_reason(outcome.reason));
  if (outcome.verdict == Verdict::denied) out += text::printed("  message   {}\n", outcome.message);
  Reporter reporter{outcome, config, {}};
  for (const Json& op : outcome.patch) reporter.operation(op);
  for (const Change& change : reporter.changes)
    out += text::printed("  {} {}\n      {}\n", paint("+", text::Ink::green, style), change.what,
                         paint(change.why, text::Ink::dim, style));
  for (const std::string& warning : outcome.warnings)
    out += text::printed("  {} {}\n", paint("warning", text::Ink::yellow, style), warning);
  return out;
}

text::Printed as_diff(const ReviewOutcome& outcome, Style style) {
  constexpr std::ptrdiff_t around = 3;
  text::Printed out = head(outcome, style);
  if (outcome.verdict != Verdict::allowed) return out + text::printed("  {}\n", outcome.message);
  const std::string before = text::to_yaml(outcome.before), after = text::to_yaml(outcome.after);
  const auto lines = print::diff_lines(print::split_lines(before), print::split_lines(after));
  std::ptrdiff_t shown_until = 0;
  for (std::ptrdiff_t i = 0; i < std::ssize(lines); ++i) {
    if (lines[static_cast<std::size_t>(i)].sign == ' ') continue;
    const std::ptrdiff_t from = std::max(shown_until, i - around);
    const std::ptrdiff_t to = std::min(std::ssize(lines), i + around + 1);
    if (from > shown_until) out += text::printed("{}\n", paint("@@", text::Ink::dim, style));
    for (std::ptrdiff_t k = from; k < to; ++k) {
      const print::DiffLine& line = lines[static_cast<std::size_t>(k)];
      const text::Ink ink = line.sign == '+'   ? text::Ink::green
                            : line.sign == '-' ? text::Ink::red
                                               : text::Ink::plain;
      const auto changed = text::printed("{} {}", line.sign, line.text);
      out += text::printed("{}\n", text::paint(changed, ink, style.colour));
    }
    shown_until = std::max(shown_until, to);
  }
  return out;
}

}  // namespace tpuwh::server::review
