#include "server/text/visible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace tpuwh::server::text {

namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};

struct Lead {
  std::size_t bytes;
  char32_t bits;   // of the code point
  char32_t least;  // that needs so many bytes
};

std::optional<Lead> lead_of(unsigned char byte) {
  if (byte < 0x80) return Lead{1, byte, 0};
  if (byte >= 0xc2 && byte < 0xe0) return Lead{2, byte & 0x1fu, 0x80};
  if (byte >= 0xe0 && byte < 0xf0) return Lead{3, byte & 0x0fu, 0x800};
  if (byte >= 0xf0 && byte < 0xf5) return Lead{4, byte & 0x07u, 0x10000};
  return std::nullopt;
}

// The code point that `text` begins with; nothing where it begins with none (RFC 3629).
std::optional<CodePoint> decode(std::string_view text) {
  const auto lead = lead_of(static_cast<unsigned char>(text.front()));
  if (!lead || lead->bytes > text.size()) return std::nullopt;
  CodePoint out{lead->bits, lead->bytes};
  for (std::size_t i = 1; i < lead->bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0u) != 0x80) return std::nullopt;
    out.value = (out.value << 6) | (next & 0x3fu);
  }
  const bool surrogate = out.value >= 0xd800 && out.value < 0xe000;
  if (out.value < lead->least || out.value > 0x10ffff || surrogate) return std::nullopt;
  return out;
}

// What is not seen, or moves what is: controls, blanks without a width, marks of direction (Unicode
// 15, Bidi_Control and Default_Ignorable), tags, what is no character.
bool is_hidden(char32_t c) {
  static constexpr std::pair<char32_t, char32_t> hidden[] = {
      {0x0000, 0x001f}, {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f},
      {0x061c, 0x061c}, {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
      {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
      {0xfdd0, 0xfdef}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
      {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
  };
  if ((c & 0xfffe) == 0xfffe) return true;
  return std::ranges::any_of(
      hidden, [c](const auto& range) { return c >= range.first && c <= range.second; });
}

std::string spelled(char32_t c) {
  const auto value = static_cast<std::uint32_t>(c);
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  return value < 0x10000 ? fmt::format("\\u{:04x}", value) : fmt::format("\\U{:08x}", value);
}

// RFC 8259, section 7: two of UTF-16 where one does not hold it.
std::string escaped_in_json(char32_t c) {
  auto value = static_cast<std::uint32_t>(c);
  if (value < 0x10000) return fmt::format("\\u{:04x}", value);
  value -= 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (value >> 10), 0xdc00 + (value & 0x3ff));
}

// What is no UTF-8 is U+FFFD, and what does not stay is spelled.
template <class Stays, class Spelled>
std::string rewritten(std::string_view text, const Stays& stays, const Spelled& spell) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const auto point = decode(text);
    const std::size_t bytes = point ? point->bytes : 1;
    if (!point)
      out += "\xef\xbf\xbd";  // U+FFFD
    else if (stays(point->value))
      out += text.substr(0, bytes);
    else
      out += spell(point->value);
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace

std::string visible(std::string_view text, bool keep_lines) {
  const auto stays = [&](char32_t c) { return (keep_lines && c == '\n') || !is_hidden(c); };
  return rewritten(text, stays, spelled);
}

std::string visible_json(std::string json) {
  if (std::ranges::none_of(json, [](char c) { return c < 0 || c == '\x7f'; })) return json;
  const auto stays = [](char32_t c) { return c < 0x7f || !is_hidden(c); };
  return rewritten(json, stays, escaped_in_json);
}

}  // namespace tpuwh::server::text
