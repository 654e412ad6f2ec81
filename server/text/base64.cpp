#include "server/text/base64.hpp"

#include "webhook/text/base64.hpp"

#include <algorithm>

namespace tpuwh::server::text {

namespace {

// 0 to 63, or -1.
int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  webhook::text::Buffer out;
  webhook::text::append_base64(out, bytes);
  return std::string(out.view());
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string packed(text);
  std::erase_if(packed, [](char c) { return c == '\n' || c == '\r'; });
  if (packed.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && !packed.empty() && packed.back() == '=') {
    packed.pop_back();
    ++padding;
  }
  std::string out;
  unsigned bits = 0, value = 0;
  for (const char c : packed) {
    const int six = sextet(c);
    if (six < 0) return std::nullopt;
    value = (value << 6 | static_cast<unsigned>(six)) & 0xffffu;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(value >> bits & 0xffu);
  }
  return out;
}

}  // namespace tpuwh::server::text
