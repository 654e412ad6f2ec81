// The fields that an object sets and that nobody looks at.
#pragma once

#include "server/text/json.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::fields {

struct Unseen {
  std::string kind;  // "Pod", also where it is a template
  std::string path;  // in it: "spec.containers[*].fieldOfTomorrow"
  std::uint64_t times = 0;

  // "Pod: spec.preemptionPolicy", "… (2 times)"
  std::string words() const;
};

// Of whole objects, each once, by kind and path. What is null, an empty list or an empty object
// sets nothing. Nothing of a kind that the table does not have.
//
//   cost  linear in the objects: each value is visited once
class UnseenFields {
 public:
  void add(const Json& object);
  std::vector<Unseen> list() const;

 private:
  std::map<std::pair<std::string, std::string>, std::uint64_t> times_;
};

}  // namespace tpuwh::server::fields
