// What must hold of every review of a Pod's creation, whatever is wanted of it.
#pragma once

#include "tests/golden/golden_case.hpp"

#include <string>

namespace tpuwh::test {

// A failure shows what has to change from `want` to `got`.
void expect_same(const Json& want, const Json& got, const std::string& what);

// Expects of the answer to `review`, which is `outcome`, and of the object after it:
//
//   spelling    other order of members, other escapes: the same answer
//   unknown     fields that no one knows, anywhere: the same patch
//   declared    every path of the patch is in the surface
//   twice       applied again, also with the API server's defaults: an empty patch
//   record      our record removed or emptied: nothing but our annotations changes
//   deleted     a variable of ours deleted: it comes back, and nothing else changes
//   edited      a variable of ours edited: it stays as edited
void expect_properties(const std::string& review, const Outcome& outcome);

}  // namespace tpuwh::test
