// What `review` is given, cut into reviews.
#pragma once

#include "server/text/json.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::review {

// One review as the server would receive it.
struct Input {
  std::string review;
  // Why there is no review to answer; "" where there is one.
  std::string unusable;
  // It came as an AdmissionReview, or as text that was to be one; no manifest was wrapped.
  bool recorded = false;
  // Of text that is no JSON: where and why; said instead of the answer's sentence.
  std::string fault = {};
  std::vector<std::string> notes = {};  // of a manifest: how it was read (source::Manifest)
};

// The review of an object's creation, as the API server would send it, but for what it fills in
// (defaults, the service account's volume).
//
//   text       the object as it was written: numbers stay as they are
//   otherwise  the namespace of one that names none
//   number     the review's uid is made of it
std::string review_of_creation(const Json& object, std::string_view text,
                               const std::string& otherwise, std::size_t number);

// Cuts `text`, read as kubectl/inspect/source/objects.hpp has it, into reviews, in order.
//
//   AdmissionReview         its bytes, unchanged
//   Pod, or another object  wrapped into the review of its creation, in its
//                           namespace or, where it names none, in `ns`
//   List                    one for each item
// What cannot be read is one input that says why, with its line; of JSON lines each broken line is
// one. Text that is no object is one input with its bytes unchanged: the answer says what is wrong
// with them, as the server's would. Nothing where it holds no object at all.
std::vector<Input> read_inputs(std::string text, const std::string& ns);

}  // namespace tpuwh::server::review
