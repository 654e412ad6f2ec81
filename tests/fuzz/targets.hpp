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

// A review's bytes: the answer keeps the contract with the API server; a patch
// applies under the strictest reading and only at declared paths; applied once more
// nothing changes; another spelling of the same JSON has the same answer.
void review(std::string_view bytes);

// The text of a quantity: what is taken for a number of chips is that number, and a
// plain one up to a million always is.
void quantity(std::string_view bytes);

// The text of a topology: what is taken is what it says, and every slice made of it
// divides exactly; what is not taken is refused in one printable sentence.
void dims(std::string_view bytes);

// The text of our record on a Pod: it has one normal form, and whatever it says, a
// second pass changes nothing and no value of the user's is touched.
void provenance(std::string_view bytes);

// What `kubectl tpu review` is given: one well-formed line for each input in every
// output, and an exit code of 0, 1 or 2.
void input(std::string_view bytes);

// Bytes of a watch, or of a list page: the same events, objects and errors however they are
// cut, and none beyond the limit.
void watch(std::string_view bytes);

// Bytes of an HTTP client, one request after the other on one connection: however they are cut
// the same requests are read and the connection ends for the same reason; what is refused is
// refused in one printable sentence; the parser is called no more often than bytes come, keeps no
// view of them, and takes time and memory in proportion.
void http(std::string_view bytes);

// The same of an API server's answers, as our client reads them.
void http_response(std::string_view bytes);

// What is done with the records of a real TLS client (a letter and its bytes for each, see tls.cpp)
// before the server's end of tls::Stream reads them: it receives what the client wrote and nothing
// else, an honest client is heard out, the loop turns a bounded number of times for so many bytes,
// and nothing is left of a connection that has ended.
void tls(std::string_view bytes);

// Reviews, one a line, with a letter in front for the path (m, s, v, and r for /validate of a
// cluster with rules), answered one after the other in one workspace, each from memory that is gone
// when it is answered: each answer is the one that a workspace of its own gives.
void admit(std::string_view bytes);

// What the patch builder is told, operation by operation: it writes what a library of JSON reads as
// that, in base64 too and where parts are shared; a library applies it as the strict applier does;
// what the declared surface does not have spoils it.
void patch(std::string_view bytes);

// What `kubectl tpu explain` is given: an exit code that the output does not change, no control
// character in what is printed, JSON that is JSON, a page without a script.
void manifest(std::string_view bytes);

// The same of `slices` and `audit`, and a cluster as a file.
void snapshot(std::string_view bytes);

// A configuration file: each problem is one sentence on a line that is there; what is in force can
// be printed, and says the same when it is read again.
void settings(std::string_view bytes);

// A file of rules: each problem is one sentence on a line that is there; of what is taken, each
// object is judged in printable sentences, and the policies are YAML and JSON of the same objects.
void rules(std::string_view bytes);

// YAML: what was read can be printed, and is the same when it is read again; every line that is
// told is there.
void yaml(std::string_view bytes);

// A certificate's PEM text, its key and the CAs to trust, all three of the same bytes: what is not
// served is refused in one printable sentence.
void pem(std::string_view bytes);

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};
// Those that the program is linked with: of what is in the way of a Pod (targets.cpp), or of what a
// person gives kubectl-tpu (targets_of_tools.cpp).
std::span<const Target> targets();

}  // namespace tpuwh::fuzz
