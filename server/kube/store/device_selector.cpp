#include "server/kube/store/device_selector.hpp"

#include "base/edits.hpp"
#include "base/names.hpp"
#include "server/kube/store/parts.hpp"
#include "topology/catalog.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tpuwh::server::kube::store {

namespace {

// resource.k8s.io/v1 CELSelectorExpressionMaxLength.
constexpr std::size_t longest = 10u << 10;
// Of brackets around a conjunction.
constexpr int most_brackets = 4;

constexpr std::string_view driver = "tpu.google.com";

constexpr std::string_view spaces = " \t\r\n";

// Where the string that begins at `at` ends, the size of the text where it does not.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at)
    if (text[at] == '\\') ++at;
  return at < text.size() ? at : text.size();
}

// The parts of a conjunction, as they stand. Nothing where it is none.
std::vector<std::string_view> conjuncts(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_string(text, at);
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (depth == 0 && (text.substr(at, 2) == "||" || c == '?')) {
      // ".?" is a field that may be missing.
      if (c == '|' || at == 0 || text[at - 1] != '.') return {};
    } else if (depth == 0 && text.substr(at, 2) == "&&") {
      out.push_back(base::trimmed(text.substr(begin, at - begin)));
      begin = at + 2;
    }
  }
  out.push_back(base::trimmed(text.substr(begin)));
  return out;
}

// What stands in brackets that are around all of it; "" where none are.
std::string_view in_brackets(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return {};
  int depth = 0;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] == '"' || text[at] == '\'') at = end_of_string(text, at);
    if (at + 1 >= text.size()) return {};
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return {};
  }
  return text.substr(1, text.size() - 2);
}

// Takes one word after another from the front.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  bool take(std::string_view word) {
    skip();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string_view name() {
    skip();
    std::size_t size = 0;
    while (size < rest_.size() && is_of_name(rest_[size])) ++size;
    return shift(size);
  }
  // A string without escapes; "" where none is next.
  std::string_view string() {
    skip();
    if (rest_.empty() || (rest_[0] != '"' && rest_[0] != '\'')) return {};
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == rest_.npos || rest_.substr(0, end).find('\\') != rest_.npos) return {};
    const std::string_view out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return out;
  }
  bool over() {
    skip();
    return rest_.empty();
  }

 private:
  static bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  std::string_view shift(std::size_t size) {
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  void skip() { rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(spaces))); }

  std::string_view rest_;
};

// The label of the generation that the driver and the catalog name alike; "" of others.
std::string_view accelerator_of(std::string_view generation) {
  const auto all = topology::generations();
  const auto found = std::ranges::find(all, generation, &topology::Generation::id);
  return found == all.end() ? std::string_view() : found->label;
}

// An attribute that only the driver's devices have.
void add_attribute(Words& words, SelectedChips& out) {
  const std::string_view name = words.name();
  if (!words.take("==")) return;
  const std::string_view text = words.string();
  const auto number = base::plain_decimal(text.empty() ? words.name() : std::string_view());
  if (!words.over() || (!number && !base::is_label_value(text))) return;
  out.of_driver = true;
  if (name == "chipCount" && number) out.chip_count = number;
  if (name == "accelerator") out.accelerator = text;
  if (name == "topology") out.topology = text;
  if (name == "tpuGen" && out.accelerator.empty()) out.accelerator = accelerator_of(text);
}

void add_comparison(std::string_view text, SelectedChips& out) {
  Words words(text);
  if (!words.take("device") || !words.take(".")) return;
  if (words.take("driver"))
    out.of_driver = (words.take("==") && words.string() == driver && words.over()) || out.of_driver;
  else if (words.take("attributes") && words.take("[") && words.string() == driver &&
           words.take("]") && words.take("."))
    add_attribute(words, out);
}

}  // namespace

void add_selected(std::string_view expression, SelectedChips& out) {
  if (expression.size() > longest) return;
  out.names_driver = out.names_driver || expression.find(driver) != expression.npos;
  std::vector<std::pair<std::string_view, int>> left = {{base::trimmed(expression), 0}};
  while (!left.empty()) {
    const auto [text, depth] = left.back();
    left.pop_back();
    for (const std::string_view each : conjuncts(text)) {
      const std::string_view inner = in_brackets(each);
      if (inner.empty())
        add_comparison(each, out);
      else if (depth < most_brackets)
        left.emplace_back(inner, depth + 1);
    }
  }
}

bool read_selectors(base::json::Reader& in, SelectedChips& out) {
  std::string expression;
  return read_array(in, [&](std::size_t) {
    return read_object(in, [&](std::string_view selector) {
      if (selector != "cel") return in.skip();
      return read_object(in, [&](std::string_view key) {
        if (key != "expression") return in.skip();
        expression.clear();
        if (!read_text(in, expression)) return false;
        add_selected(expression, out);
        return true;
      });
    });
  });
}

}  // namespace tpuwh::server::kube::store
