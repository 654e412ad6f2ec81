// Checks of the texts that Kubernetes objects carry. None allocates unless it says so.
#pragma once

#include "base/buffer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::base {

// Longest DNS label, label value and name part of a key (RFC 1123, Kubernetes).
inline constexpr std::size_t max_label_length = 63;
inline constexpr std::size_t max_host_name_length = 253;

// Lower-case letters, digits and inner dashes, 1 to 63: spec.hostname, spec.subdomain.
bool is_dns_label(std::string_view text);
// Labels as above with dots between, at most 253: a name that DNS can resolve.
bool is_host_name(std::string_view text);
// Letters, digits, inner "-_.", 1 to 63: a non-empty label value.
bool is_label_value(std::string_view text);
// "name" or "prefix/name": a label key, which is what a topology key is.
bool is_qualified_name(std::string_view text);

// "${NAME}", "$(NAME)", "$NAME", "{{ name }}" or "<name>" within, which are in no name of
// Kubernetes: of a template that nobody filled in.
bool has_placeholder(std::string_view text);

// A plain decimal: digits only, no sign, no leading zero but in "0", at most 2^32-1.
// "01", "-1", "1e3", "" and "4294967296" are none: a lenient reading makes two texts one index, and
// two Pods one host.
std::optional<std::uint32_t> plain_decimal(std::string_view text);

// A number as RFC 8259 writes it.
bool is_json_number(std::string_view text);

// `text` as it may stand in a message: control characters, quotes and what is not
// ASCII become '?', and what is longer than `most` ends in "...". Allocates. The API server drops a
// warning with a control character (docs/facts.md#warnings), and a log line has to stay one.
std::string printable(std::string_view text, std::size_t most = 64);
// The same, appended; no legal name of Kubernetes is cut.
void append_printable(Buffer& out, std::string_view text, std::size_t most = 253);

}  // namespace tpuwh::base
