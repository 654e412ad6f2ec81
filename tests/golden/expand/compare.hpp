// Two Pods, member by member, but for what was given out by a cluster.
#pragma once

#include "tests/support/answer.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::test {

// A path is members with " > " between them; an item of a list is [its name], or [its number]. A
// difference is a value, or an item of a list that stands on one side alone.
//
//   only_recorded   a member or an item that is not expanded
//   only_expanded   one that is not in the recording
//   another_value   it is in both
enum class Kind { only_recorded, only_expanded, another_value };

// Which reviews of a Pod have a difference: those before our patch, those that show it, or any.
enum class When { any, before, after };

struct Named {
  Kind kind;
  const char* path;  // '*' stands for any text
  const char* why;
  When when = When::any;
};

// Texts with letters that a cluster chooses: a uid, or words of 5 or 10 of the letters of which
// Kubernetes makes names. Each recorded one stands for one expanded, and the other way round unless
// objects were made again under the same name.
class Placeholders {
 public:
  explicit Placeholders(bool made_again) : made_again_(made_again) {}
  bool same(std::string_view expanded, std::string_view recorded);
  // With '?' for each, to find Pods of the same place.
  static std::string masked(std::string_view text);

 private:
  bool same_word(std::string_view expanded, std::string_view recorded);
  bool made_again_;
  std::map<std::string, std::string, std::less<>> expanded_of_, recorded_of_;
};

struct Difference {
  Kind kind;
  std::string path, what;
};

struct Compared {
  std::size_t fields = 0;  // values that stand in both
  std::vector<Difference> differences;
};

Compared compare(const Json& expanded, const Json& recorded, Placeholders& placeholders);

// Whether `path` is one of those that `pattern` names.
bool matches(std::string_view path, std::string_view pattern);

}  // namespace tpuwh::test
