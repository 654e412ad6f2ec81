// Two hashes that stand in objects and so must never change: docs/contract.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace tpuwh::base {

// 32 hex digits of FNV-1a (128 bit) over the parts, each followed by a NUL, which
// stands in no name, so that {"a","bc"} and {"ab","c"} differ. Names slices and ledger objects; it
// need not withstand an attacker, who may write the label anyway.
using Hash = std::array<char, 32>;
Hash hash(std::span<const std::string_view> parts);

inline std::string_view view(const Hash& key) {
  return {key.data(), key.size()};
}

// 8 hex digits of a 64-bit multiply-and-mix over 8-byte words: tells whether a
// value is still the one we wrote. A list of 2,304 hosts is 120 KB, hence words.
using Digest = std::array<char, 8>;
Digest digest(std::string_view value);

inline std::string_view view(const Digest& d) {
  return {d.data(), d.size()};
}

// The same over several values, of which the order and the borders count.
class Digester {
 public:
  Digester& add(std::string_view value);
  Digester& add(std::uint64_t value);
  Digest digest() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace tpuwh::base
