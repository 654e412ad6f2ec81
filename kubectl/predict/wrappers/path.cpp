#include "kubectl/predict/wrappers/path.hpp"

#include "base/names.hpp"
#include "server/text/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tpuwh::server::wrappers {

namespace {

bool is_of_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

Error no_path(std::string_view text) {
  return bad_value(fmt::format("expected a path such as spec.items[*].template, got \"{}\"",
                               base::printable(text, 120)));
}

}  // namespace

Result<Path> Path::parse(std::string_view text) {
  Path out;
  out.text_ = text;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto end = std::ranges::find_if_not(rest, is_of_a_name);
    const auto size = static_cast<std::size_t>(end - rest.begin());
    if (size == 0) return no_path(text);
    out.steps_.push_back({std::string(rest.substr(0, size)), {}});
    rest.remove_prefix(size);
    while (rest.starts_with('[')) {
      const auto close = rest.find(']');
      if (close == rest.npos) return no_path(text);
      const std::string_view which = rest.substr(1, close - 1);
      const auto number = base::plain_decimal(which);
      if (which != "*" && !number) return no_path(text);
      out.steps_.push_back({{}, number ? std::optional<std::size_t>(*number) : std::nullopt});
      rest.remove_prefix(close + 1);
    }
    if (rest.empty()) break;
    if (!rest.starts_with('.') || rest.size() == 1) return no_path(text);
    rest.remove_prefix(1);
  }
  if (out.steps_.empty()) return no_path(text);
  return out;
}

std::size_t Path::wildcards() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      steps_, [](const Step& each) { return each.key.empty() && !each.element; }));
}

std::vector<Match> Path::find(const Json& object) const {
  std::vector<Match> out;
  Match here;
  find(object, 0, here, out);
  return out;
}

void Path::find(const Json& value, std::size_t step, Match& here, std::vector<Match>& out) const {
  if (value.is_null()) return;
  if (step == steps_.size()) {
    out.push_back(here);
    return;
  }
  const Step& next = steps_[step];
  if (!next.key.empty()) {
    const auto found = value.is_object() ? value.find(next.key) : value.end();
    if (found == value.end()) return;
    here.pointer.push_back(next.key);
    find(*found, step + 1, here, out);
    here.pointer.pop_back();
    return;
  }
  if (!value.is_array()) return;
  const std::size_t first = next.element.value_or(0);
  const std::size_t end = next.element ? std::min(first + 1, value.size()) : value.size();
  for (std::size_t i = first; i < end; ++i) {
    here.pointer.push_back(std::to_string(i));
    if (!next.element) here.elements.push_back(i);
    find(value[i], step + 1, here, out);
    if (!next.element) here.elements.pop_back();
    here.pointer.pop_back();
  }
}

Pointer Path::at(const std::vector<std::size_t>& elements) const {
  Pointer out;
  std::size_t wildcard = 0;
  for (const Step& step : steps_)
    if (!step.key.empty())
      out.push_back(step.key);
    else if (step.element)
      out.push_back(std::to_string(*step.element));
    else
      out.push_back(std::to_string(wildcard < elements.size() ? elements[wildcard++] : 0));
  return out;
}

std::string spoken(const Pointer& pointer) {
  std::vector<std::string> steps;
  for (Pointer rest = pointer; !rest.empty(); rest.pop_back()) steps.push_back(rest.back());
  std::string out;
  for (auto each = steps.rbegin(); each != steps.rend(); ++each)
    if (base::plain_decimal(*each))
      out += fmt::format("[{}]", *each);
    else
      out += (out.empty() ? "" : ".") + *each;
  return out;
}

}  // namespace tpuwh::server::wrappers
