// As much of CEL as conditions of entries use, so that a test can evaluate thousands of them; that
// the API server evaluates them alike is asked in tests/e2e/test_entries.py.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tpuwh::test::cel {

using Json = nlohmann::ordered_json;

// The API server refuses the Pod, or passes the entry over, by its failurePolicy.
struct EvaluationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Expression {
 public:
  // Throws std::invalid_argument where it is not of this subset.
  explicit Expression(std::string_view text);

  // With `object` bound to this; throws EvaluationError.
  bool holds(const Json& object) const;

 private:
  class Parser;
  class Evaluation;
  // Evaluates a part of the expression. Returns null for an optional without a value.
  using Part = std::function<const Json*(Evaluation&)>;

  Part whole_;
};

}  // namespace tpuwh::test::cel
