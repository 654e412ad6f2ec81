// A folder golden/<workload>/<case>: a review and what is to become of it. The object that the
// API server then stores is in no file: it is the review's with the patch applied, strictly.
//
//   change.json    which review it is, and what was changed in it:
//                    base     FILE#N, the Nth line of a file below tests/; or another case's folder
//                    renamed  names in its text, and what stands in their place; may be absent
//                    change   a JSON patch of the review; may be absent
//   review.json    in its place, the AdmissionReview, pretty printed: where none like it was sent
//   patch.json     the wanted patch, [] for none; absent where the Pod is denied.
//                  {"of_base": PATHS} stands for the operations of these paths in the answer to
//                  the recorded review that `base` names
//   response.json  the wanted response without uid and patch, where it is a denial or
//                  has warnings
//   why.md         what the case shows; what the changes stand for, where they do not say it
#pragma once

#include "tests/support/answer.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tpuwh::test {

struct GoldenCase {
  std::string workload, name;
  std::filesystem::path folder;
};

// The review of a case, pretty printed; throws where change.json cannot be followed.
// tests/support/golden_reviews.py reads the same.
std::string review_of(const std::filesystem::path& folder);

// All cases below `root`, sorted.
std::vector<GoldenCase> find_cases(const std::filesystem::path& root);

// Files of a folder with this extension, sorted; none where there is no folder.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            const std::string& extension);

// With '_' for '-': GoogleTest's filters read a '-' as "except".
std::string underscored(std::string name);

std::string read_text(const std::filesystem::path& file);

// JSON of which a value is in one line if it fits, as tests/support/readable_json.py writes it. A
// string that makes a line of more than 200 columns is {"joined": ["its ", "pieces"]}.
//   indent, used  the columns before its lines, and before the first
std::string readable(const Json& value, std::size_t indent = 0, std::size_t used = 0);

// What became of a review; null stands for a file that is not wanted.
struct Outcome {
  Json patch, response;
  Json object;         // the review's after the patch; null where there is no patch
  std::string broken;  // why the answer must not be sent; "" if it may
};

Outcome outcome_of(const std::string& review);

// The review with `object` in the place of the one it has.
std::string with_object(const std::string& review, const Json& object);

// What the files of the case want; `broken` where patch.json may not be sent.
Outcome wanted(const GoldenCase& golden);

// Makes the files of the case say what `outcome` is.
//   returns  the files that changed
std::vector<std::string> rewrite(const GoldenCase& golden, const Outcome& outcome);

}  // namespace tpuwh::test
