// Where a JSON object or list ends whose bytes come in pieces.
//
// Brackets outside of strings are counted, 64 bytes at a time: a bit for each byte says what it
// is, and a running "exclusive or" of the quotes' bits what is inside a string (Langdale and
// Lemire, "Parsing Gigabytes of JSON per Second", 2019, section 3.1). Only brackets are then
// looked at one by one. A backslash outside of a string, which JSON does not have, counts as one
// inside; whether it is good JSON otherwise is seen by who reads it.
#pragma once

#include <cstddef>
#include <string_view>

namespace tpuwh::server::kube::decode {

class ValueEnd {
 public:
  // Of another value. The first byte that it takes is its opening bracket.
  void begin() { *this = {}; }
  // How many of the next bytes are the value's; all of them, unless they end it.
  std::size_t take(std::string_view bytes);
  bool reached() const { return reached_; }

 private:
  std::size_t take_block(const char* block, std::size_t size);

  std::size_t depth_ = 0;
  bool reached_ = false;
  bool in_string_ = false;
  bool escaped_ = false;  // the next byte, by a backslash
};

}  // namespace tpuwh::server::kube::decode
