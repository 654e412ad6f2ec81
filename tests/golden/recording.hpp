// A folder golden/recorded/<story>: what a real API server sent, and what is answered.
//
//   reviews.jsonl   AdmissionReviews, one a line; tests/e2e/record makes them
//   responses.json  the wanted response to each, in the same order: whole, but for its
//                   patch, which stands as JSON, an operation a line, and patchType. Where `like`
//                   is the number of an earlier response, the patch is the same as that one's but
//                   for the operations that stand here
#pragma once

#include "tests/support/answer.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tpuwh::test {

// All folders below `root` that hold reviews, sorted.
std::vector<std::filesystem::path> find_recordings(const std::filesystem::path& root);

// The lines of a file.
std::vector<std::string> lines_of(const std::filesystem::path& file);

// What one server answers to reviews in this order, as the file has it.
//
//   broken  the first answer that must not be sent, and why; "" where all may
struct Responses {
  Json list = Json::array();
  std::string broken;
};
Responses responses_to(const std::vector<std::string>& reviews);

// The wanted responses; an empty list where there is no file.
Json wanted_responses(const std::filesystem::path& recording);

// The text of responses.json.
std::string as_written(const Json& responses);

// Makes responses.json say what is answered, unless it does already.
//   returns  whether it changed
bool rewrite_responses(const std::filesystem::path& recording, const Json& responses);

}  // namespace tpuwh::test
