#include "base/names.hpp"

#include "base/characters.hpp"

#include <charconv>
#include <limits>

namespace tpuwh::base {

namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_alphanumeric(char c) {
  return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z');
}
constexpr bool is_host_character(char c) {
  return is_lower(c) || is_digit(c);
}

// What may stand inside of a name.
constexpr Characters host_inner =
    characters([](char c) { return is_host_character(c) || c == '-'; });
constexpr Characters label_inner =
    characters([](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });

}  // namespace

bool is_dns_label(std::string_view text) {
  if (text.empty() || text.size() > max_label_length) return false;
  if (!is_host_character(text.front()) || !is_host_character(text.back())) return false;
  return consists_of(host_inner, text);
}

bool is_host_name(std::string_view text) {
  if (text.size() > max_host_name_length) return false;
  for (;;) {
    const std::string_view part = text.substr(0, text.find('.'));
    if (part.empty() || !is_host_character(part.front()) || !is_host_character(part.back()))
      return false;
    if (!consists_of(host_inner, part)) return false;
    if (part.size() == text.size()) return true;
    text.remove_prefix(part.size() + 1);
  }
}

bool is_label_value(std::string_view text) {
  if (text.empty() || text.size() > max_label_length) return false;
  if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return consists_of(label_inner, text);
}

bool is_qualified_name(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return is_label_value(text);
  return is_host_name(text.substr(0, slash)) && is_label_value(text.substr(slash + 1));
}

namespace {

constexpr Characters of_variables = label_inner;
constexpr Characters of_names =
    characters([](char c) { return c == ' ' || is_of(of_variables, c); });
constexpr Characters begins_placeholder =
    characters([](char c) { return c == '$' || c == '<' || c == '{'; });

// Something of `letters` that ends with `close` stands at the front.
bool begins_name(std::string_view text, const Characters& letters, char close) {
  const std::size_t end = count_leading(letters, text);
  return end != 0 && end != text.size() && text[end] == close;
}

// What stands behind a '$'.
bool begins_variable(std::string_view text) {
  if (text.empty()) return false;
  if (text.front() == '(') return begins_name(text.substr(1), of_variables, ')');
  const char letter = static_cast<char>(text.front() | ' ');
  return text.front() == '{' || text.front() == '_' || (letter >= 'a' && letter <= 'z');
}

}  // namespace

bool has_placeholder(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_of(begins_placeholder, text[at])) continue;
    const std::string_view rest = text.substr(at + 1);
    if (text[at] == '$' && begins_variable(rest)) return true;
    if (text[at] == '<' && begins_name(rest, of_names, '>')) return true;
    if (text[at] == '{' && rest.starts_with('{')) return true;
  }
  return false;
}

std::optional<std::uint32_t> plain_decimal(std::string_view text) {
  if (text.empty() || !is_digit(text.front()) || (text.size() > 1 && text.front() == '0'))
    return std::nullopt;
  // A million digits would be read to their end.
  if (text.size() > std::numeric_limits<std::uint32_t>::digits10 + 1) return std::nullopt;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_json_number(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - from;
  };
  const auto one_of = [&](auto... characters) {
    if (at >= text.size() || ((text[at] != characters) && ...)) return false;
    ++at;
    return true;
  };
  one_of('-');
  if (one_of('0') ? false : digits() == 0) return false;
  if (one_of('.') && digits() == 0) return false;
  if (one_of('e', 'E')) {
    one_of('+', '-');
    if (digits() == 0) return false;
  }
  return at == text.size();
}

namespace {

constexpr char printable_char(char c) {
  return c < 0x20 || c > 0x7e || c == '"' || c == '\\' ? '?' : c;
}

constexpr Characters is_printable = characters([](char c) { return printable_char(c) == c; });

// By itself, so that what is common needs no string.
[[gnu::noinline]] void append_made_printable(Buffer& out, std::string_view text, std::size_t most) {
  out.append(std::string_view(printable(text, most)));
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  std::string out(text.substr(0, cut ? most - 3 : text.size()));
  for (char& c : out) c = printable_char(c);
  if (cut) out += "...";
  return out;
}

void append_printable(Buffer& out, std::string_view text, std::size_t most) {
  if (text.size() <= most && consists_of(is_printable, text)) return out.append(text);
  append_made_printable(out, text, most);
}

}  // namespace tpuwh::base
