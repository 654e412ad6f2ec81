// Whether this program is asked about Pods, and who answered: for a Pod that is never stored.
//
// Who asks puts a nonce of its own into annotation <prefix>probe of a Pod and creates it with
// dryRun=All. A warning of the answer repeats it, so that the answer is to this request and of
// this program, and names the replica. docs/threat-model.md says what it can be abused for.
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/outcome/notes.hpp"
#include "webhook/read/review.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tpuwh::webhook::answer {

// Long enough for 128 random bits in hex, twice.
inline constexpr std::size_t longest_nonce = 64;

// 1 to longest_nonce of letters, digits and '-' (ASCII): nothing that a header, a terminal or a
// log reads as more than letters.
bool is_nonce(std::string_view text);

// "probe NONCE: answered by REPLICA of tpu-webhook", what the warning says.
std::string probe_text(std::string_view nonce, std::string_view replica);

// Of that text the replica; "" of any other, and of another nonce.
std::string_view replica_of(std::string_view warning, std::string_view nonce);

// What the warnings of an answer say to who sent this nonce.
struct ProbeAnswer {
  std::string replica = {};  // "" where none has answered
  bool shadow = false;       // in shadow mode: the Pod would have been changed, and was not
};
ProbeAnswer probe_answer(std::span<const std::string> warnings, std::string_view nonce);

// Adds the warning, as the first, since the API server cuts the last ones: on the dry run of a
// Pod's creation alone, and for a nonce alone. Nothing else depends on the annotation.
void note_probe(const read::Review& review, const read::Pod& pod, const config::Config& config,
                outcome::Notes& notes);

}  // namespace tpuwh::webhook::answer
