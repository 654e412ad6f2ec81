#include "kubectl/inspect/doctor/mending.hpp"

#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/print/shell_command.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tpuwh::server::doctor {

namespace {

// The number behind the last "/", which is that of an element.
std::size_t index_of(const std::string& path) {
  std::size_t number = 0;
  const std::size_t slash = path.rfind('/') + 1;
  std::from_chars(path.data() + slash, path.data() + path.size(), number);
  return number;
}

}  // namespace

Mending::Mending(const View& view, const Json& object, std::string what, std::string ns)
    : view_(view), object_(object), what_(std::move(what)), ns_(std::move(ns)) {}

const Json& Mending::at(const std::string& part) const {
  static const Json none;
  const Json::json_pointer where(part);
  return object_.contains(where) ? object_.at(where) : none;
}

void Mending::add(const std::string& part, const std::vector<Difference>& differences,
                  const std::set<std::string>& defaults) {
  const Json& found = at(part);
  for (const Difference& each : differences) {
    const bool by_default = defaults.contains(each.path);
    const std::string path =
        each.is_more() || by_default ? pointer(found, each.path) : std::string();
    if (path.empty())
      rendered_ = true;
    else if (by_default)
      replace(part + path, each.wanted);
    else
      remove(part + path);
  }
}

void Mending::add_selector(const std::string& part, const std::string& key, const Json& wanted) {
  rendered_ = true;
  const Json& found = at(part);
  const Json& labels = text::member(text::member(found, key), "matchLabels");
  const Json& known = text::member(wanted, "matchLabels");
  if (!labels.is_object()) return;
  for (const auto& [label, value] : labels.items())
    if (text::member(known, label).is_null())
      remove(part + pointer(found, fmt::format("{}.matchLabels", key)) + '/' + escaped(label));
}

void Mending::remove(const std::string& part, const std::string& name) {
  if (!name.empty())
    removals_.push_back({{"op", "test"}, {"path", part + "/name"}, {"value", name}});
  removals_.push_back({{"op", "remove"}, {"path", part}});
}

void Mending::replace(const std::string& part, const Json& value) {
  others_.push_back({{"op", "replace"}, {"path", part}, {"value", value}});
}

std::string Mending::command() const {
  if (removals_.empty() && others_.empty()) return rendered_ ? put_back(view_) : std::string();
  Json patch = Json::array();
  for (const Json& each : others_) patch.push_back(each);
  // What is deepest first, and the last element: the numbers of the others stay what they are.
  std::vector<Json> tests, removals;
  for (const Json& each : removals_) (each["op"] == "test" ? tests : removals).push_back(each);
  std::ranges::stable_sort(removals, std::ranges::greater{}, [](const Json& each) {
    const auto path = each["path"].get<std::string>();
    return std::pair(std::ranges::count(path, '/'), index_of(path));
  });
  for (const auto* list : {&tests, &removals})
    for (const Json& each : *list) patch.push_back(each);
  const std::string command =
      fmt::format("kubectl {}patch {} --type=json -p {}",
                  ns_.empty() ? "" : fmt::format("-n {} ", print::shell_word(ns_)), what_,
                  print::shell_word(text::dump_json(patch)));
  if (!rendered_) return command;
  const std::string again = put_back(view_);
  return command + (again.starts_with("helm ") ? " && " : "; then ") + again;
}

void warn_of_spec(const View& view, Checks& out, ids::DoctorCheck line, const Json& object,
                  const std::string& kind, const std::string& name, const std::string& ns,
                  const std::vector<Difference>& differences) {
  std::string resource = kind;
  for (char& c : resource) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  Mending mending(view, object, fmt::format("{} {}", resource, name), ns);
  mending.add("/spec", differences);
  warn(out, line,
       fmt::format("{} {} is not as the chart renders it: {}", kind, name, sentences(differences)),
       mending.command());
}

}  // namespace tpuwh::server::doctor
