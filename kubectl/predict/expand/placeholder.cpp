#include "kubectl/predict/expand/placeholder.hpp"

#include "base/hash.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace tpuwh::server::expand {

namespace {

constexpr std::size_t byte_count = 16;

std::array<unsigned, byte_count> bytes_of(std::string_view kind, std::string_view ns,
                                          std::string_view name) {
  const std::array<std::string_view, 3> parts = {kind, ns, name};
  const base::Hash key = base::hash(parts);
  const auto value = [](char digit) {
    return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  };
  std::array<unsigned, byte_count> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = value(key[2 * i]) * 16 + value(key[2 * i + 1]);
  return out;
}

}  // namespace

std::string uid_of(std::string_view kind, std::string_view ns, std::string_view name) {
  const std::array<std::string_view, 3> parts = {kind, ns, name};
  const base::Hash key = base::hash(parts);
  const std::string_view hex = base::view(key);
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20));
}

std::string suffix_of(std::string_view kind, std::string_view ns, std::string_view name,
                      std::size_t length) {
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  const auto bytes = bytes_of(kind, ns, name);
  std::string out;
  for (std::size_t i = 0; i < std::min(length, bytes.size()); ++i)
    out += letters[bytes[i] % letters.size()];
  return out;
}

std::string minutes_of(std::string_view ns, std::string_view name) {
  const auto bytes = bytes_of("CronJob", ns, name);
  return fmt::format("29{:06}", (bytes[0] * 65536 + bytes[1] * 256 + bytes[2]) % 1'000'000);
}

std::string hash_of(std::string_view kind, std::string_view ns, std::string_view name) {
  constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
  constexpr std::size_t length = 32;
  const auto bytes = bytes_of(kind, ns, name);
  std::string out;
  for (std::size_t i = 0; i < length; ++i)
    out += digits[bytes[i % bytes.size()] / (i < bytes.size() ? 1 : 8) % digits.size()];
  return out;
}

std::string sha1_hex(std::string_view text) {
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  const std::string bytes(text);
  SHA1(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  std::string out;
  for (const unsigned char byte : digest) fmt::format_to(std::back_inserter(out), "{:02x}", byte);
  return out;
}

}  // namespace tpuwh::server::expand
