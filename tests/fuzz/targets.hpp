// What is fuzzed: bytes in, nothing out, Broken if a promise does not hold. The same
// functions run under libFuzzer (libfuzzer.cpp) and over the corpus (corpus_test.cpp).
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tpuwh::fuzz {

struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// `promise` is said only where it is broken.
inline void require(bool holds, const std::string& promise) {
  if (!holds) throw Broken(promise);
}

inline bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}
inline void require_sentence(const std::string& message) {
  require(!message.empty() && is_printable(message), "no printable sentence: " + message);
}

// Each function takes an input of the kind that it is named for, and checks what the program makes
// of the input. tests/README.md#fuzzing lists the inputs and the checks.
void admit(std::string_view bytes);
void dims(std::string_view bytes);
void http(std::string_view bytes);
void http_response(std::string_view bytes);
void input(std::string_view bytes);
void manifest(std::string_view bytes);
void patch(std::string_view bytes);
void pem(std::string_view bytes);
void provenance(std::string_view bytes);
void quantity(std::string_view bytes);
void review(std::string_view bytes);
void rules(std::string_view bytes);
void settings(std::string_view bytes);
void snapshot(std::string_view bytes);
void tls(std::string_view bytes);
void watch(std::string_view bytes);
void yaml(std::string_view bytes);

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};
// Those that the program is linked with: of what is in the way of a Pod (targets.cpp), or of what a
// person gives kubectl-tpu (targets_of_tools.cpp).
std::span<const Target> targets();

}  // namespace tpuwh::fuzz
