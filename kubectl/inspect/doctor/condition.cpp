#include "kubectl/inspect/doctor/condition.hpp"

#include <cctype>
#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::doctor {

namespace {

// Without space outside of quotes, which no constant has.
std::string packed(std::string_view expression) {
  std::string out;
  char quote = 0;
  for (const char c : expression) {
    if (quote != 0) {
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      continue;
    }
    out += c;
  }
  return out;
}

// What stands between the separators that are in no parentheses and quotes.
std::vector<std::string> split(const std::string& text, std::string_view separator) {
  std::vector<std::string> out(1);
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (depth == 0 && text.compare(i, separator.size(), separator) == 0) {
      out.emplace_back();
      i += separator.size() - 1;
      continue;
    }
    out.back() += c;
  }
  return out;
}

// Whether the first parenthesis ends at the end.
bool is_in_parentheses(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'' || text[i] == '"') return false;  // no constant has quotes
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return text.front() == '(' && i + 1 == text.size();
  }
  return false;
}

// Its value where that is the same for every object, as far as these few rules say. Nesting is
// bounded by what an API server takes for an expression.
std::optional<bool> constant(std::string text, int depth = 0) {
  constexpr int deepest = 32;
  if (depth > deepest) return std::nullopt;
  while (is_in_parentheses(text)) text = text.substr(1, text.size() - 2);
  if (text == "true") return true;
  if (text == "false") return false;
  if (split(text, "?").size() > 1) return std::nullopt;
  if (const auto any = split(text, "||"); any.size() > 1) {
    bool all_false = true;
    for (const std::string& each : any) {
      const auto value = constant(each, depth + 1);
      if (value == true) return true;
      all_false = all_false && value.has_value();
    }
    return all_false ? std::optional(false) : std::nullopt;
  }
  if (const auto every = split(text, "&&"); every.size() > 1) {
    bool all_true = true;
    for (const std::string& each : every) {
      const auto value = constant(each, depth + 1);
      if (value == false) return false;
      all_true = all_true && value.has_value();
    }
    return all_true ? std::optional(true) : std::nullopt;
  }
  if (!text.empty() && text.front() == '!')
    if (const auto value = constant(text.substr(1), depth + 1)) return !*value;
  return std::nullopt;
}

}  // namespace

bool is_never_true(std::string_view expression) {
  return constant(packed(expression)) == false;
}

}  // namespace tpuwh::server::doctor
