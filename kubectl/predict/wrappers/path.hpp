// Where parts of an object are: "spec.components[*].template".
#pragma once

#include "base/result.hpp"
#include "server/text/json_text.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::wrappers {

using Pointer = Json::json_pointer;

// A value that a path leads to, and which element each of its "[*]" is.
struct Match {
  Pointer pointer;
  std::vector<std::size_t> elements;
};

class Path {
 public:
  // Names with dots between, each followed by any number of "[*]" or "[0]". A name is letters,
  // digits, '-' and '_'.
  //
  //   errors  bad_value
  static Result<Path> parse(std::string_view text);

  const std::string& text() const { return text_; }
  // Of its steps that are "[*]".
  std::size_t wildcards() const;

  // What is there, in its order; a null is not. What stands on the way and is of another type has
  // nothing in it.
  std::vector<Match> find(const Json& object) const;
  // The one place with these elements; "[*]" beyond them is element 0.
  Pointer at(const std::vector<std::size_t>& elements) const;

 private:
  struct Step {
    std::string key;                     // of a map; "" for an element
    std::optional<std::size_t> element;  // nothing: each
  };

  void find(const Json& value, std::size_t step, Match& here, std::vector<Match>& out) const;

  std::string text_;
  std::vector<Step> steps_;
};

// "/spec/components/0/template" as a person writes it: "spec.components[0].template".
std::string spoken(const Pointer& pointer);

}  // namespace tpuwh::server::wrappers
