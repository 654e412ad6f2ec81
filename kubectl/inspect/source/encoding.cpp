#include "kubectl/inspect/source/encoding.hpp"

#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace tpuwh::server::source {

namespace {

using std::string_view_literals::operator""sv;

struct Magic {
  std::size_t at;
  std::string_view bytes;
  std::string_view what;
};

// source: file(1)'s magic for gzip, zip, tar, xz, zstd and bzip2; Kubernetes, "API Concepts",
// protobuf encoding, read 2026-11.
constexpr Magic magics[] = {
    {0, "\x1f\x8b"sv, "it is packed by gzip; expected its content (gzip -dc)"},
    {0, "PK\x03\x04"sv, "it is a zip archive; expected the files in it (unzip)"},
    {0, "PK\x05\x06"sv, "it is an empty zip archive; expected files"},
    {257, "ustar"sv, "it is a tar archive; expected the files in it (tar -xf)"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "it is packed by xz; expected its content (xz -dc)"},
    {0, "\x28\xb5\x2f\xfd"sv, "it is packed by zstd; expected its content (zstd -dc)"},
    {0, "BZh"sv, "it is packed by bzip2; expected its content (bzip2 -dc)"},
    {0, "k8s\0"sv, "it is protobuf of Kubernetes; expected JSON or YAML (-o json)"},
};

enum class Order { little, big };

struct Form {
  std::size_t unit = 1;  // bytes
  Order order = Order::little;
  std::size_t mark = 0;  // bytes of the byte order mark
};

Form form_of(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf"sv)) return {1, Order::little, 3};
  if (bytes.starts_with("\xff\xfe\0\0"sv)) return {4, Order::little, 4};
  if (bytes.starts_with("\0\0\xfe\xff"sv)) return {4, Order::big, 4};
  if (bytes.starts_with("\xff\xfe"sv)) return {2, Order::little, 2};
  if (bytes.starts_with("\xfe\xff"sv)) return {2, Order::big, 2};
  // YAML and JSON begin with a character of ASCII.
  if (bytes.size() < 4) return {};
  const auto zero = [&](std::size_t i) { return bytes[i] == '\0'; };
  if (!zero(0) && zero(1) && zero(2) && zero(3)) return {4, Order::little, 0};
  if (zero(0) && zero(1) && zero(2) && !zero(3)) return {4, Order::big, 0};
  if (!zero(0) && zero(1) && !zero(2)) return {2, Order::little, 0};
  if (zero(0) && !zero(1) && zero(2)) return {2, Order::big, 0};
  return {};
}

std::uint32_t unit_at(std::string_view bytes, std::size_t at, const Form& form) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < form.unit; ++i) {
    const std::size_t from = form.order == Order::big ? i : form.unit - 1 - i;
    out = out << 8 | static_cast<unsigned char>(bytes[at + from]);
  }
  return out;
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

bool is_high(std::uint32_t unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}
bool is_low(std::uint32_t unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}

// Of UTF-16 or UTF-32; nothing where it is none.
std::optional<std::string> decoded(std::string_view bytes, const Form& form) {
  std::string out;
  out.reserve(bytes.size() / form.unit);
  if (bytes.size() % form.unit != 0) return std::nullopt;
  for (std::size_t at = 0; at < bytes.size(); at += form.unit) {
    std::uint32_t code = unit_at(bytes, at, form);
    if (form.unit == 2 && is_high(code) && at + 2 < bytes.size()) {
      const std::uint32_t low = unit_at(bytes, at += 2, form);
      if (!is_low(low)) return std::nullopt;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (is_high(code) || is_low(code) || code > 0x10ffff) return std::nullopt;
    append_utf8(code, out);
  }
  return out;
}

}  // namespace

std::string packed_as(std::string_view bytes) {
  for (const Magic& magic : magics)
    if (bytes.size() >= magic.at && bytes.substr(magic.at).starts_with(magic.bytes))
      return std::string(magic.what);
  return {};
}

Result<std::string> as_utf8(std::string bytes) {
  if (std::string packed = packed_as(bytes); !packed.empty()) return bad_value(std::move(packed));
  const Form form = form_of(bytes);
  if (form.unit == 1) {
    bytes.erase(0, form.mark);
    return bytes;
  }
  auto out = decoded(std::string_view(bytes).substr(form.mark), form);
  if (!out)
    return Error(base::Errc::bad_json,
                 form.unit == 2 ? "the text is not valid UTF-16" : "the text is not valid UTF-32");
  return *std::move(out);
}

}  // namespace tpuwh::server::source
