// Of many Pods those that an API server has to be asked about: one of each template.
#pragma once

#include "base/result.hpp"
#include "server/text/json_text.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tpuwh::server::trial {

// The first Pod of those that admission cannot tell apart but by their names.
struct Sample {
  std::string kind, ns, owner;  // of the object that makes it: "Job", "default", "train"
  Json pod;                     // as its controller sends it
  Json ours = nullptr;          // as this program would leave it; null: it would be refused
  std::uint64_t alike = 1;      // Pods of this template, itself included
};

class Samples {
 public:
  // `object` makes `pod`. `ours` null: it would be refused.
  void add(const Json& object, const std::string& ns, const Json& pod, const Json* ours);

  const std::vector<Sample>& list() const { return list_; }

 private:
  std::vector<Sample> list_;
  std::map<std::string, std::size_t> by_template_;
};

}  // namespace tpuwh::server::trial
