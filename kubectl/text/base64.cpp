#include "kubectl/text/base64.hpp"

#include "base/base64.hpp"
#include "base/characters.hpp"

#include <openssl/evp.h>

namespace tpuwh::server::text {

namespace {

constexpr base::Characters alphabet = base::characters([](char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/';
});

unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  base::Buffer out;
  base::append_base64(out, bytes);
  return std::string(out.view());
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string packed(text);
  std::erase_if(packed, [](char c) { return c == '\n' || c == '\r'; });
  // EVP_DecodeBlock takes off blanks and dashes at the ends, and a '=' anywhere for an 'A'.
  const std::size_t letters = base::count_leading(alphabet, packed);
  const std::size_t padding = packed.size() - letters;
  if (packed.size() % 4 != 0 || padding > 2 ||
      packed.find_first_not_of('=', letters) != packed.npos)
    return std::nullopt;
  std::string out(packed.size() / 4 * 3, '\0');
  const int length = static_cast<int>(packed.size());
  if (EVP_DecodeBlock(bytes_of(out), bytes_of(packed), length) < 0) return std::nullopt;
  out.resize(out.size() - padding);
  return out;
}

}  // namespace tpuwh::server::text
