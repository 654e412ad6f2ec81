// The claims of Pods on devices, of which the file may lack what they are made from.
#pragma once

#include "server/text/json.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::slices {

class ClaimsSeen {
 public:
  // A ResourceClaimTemplate or ResourceClaim; others are passed over.
  void add(std::string_view kind, const Json& object);
  // A Pod of which no chips are known: does it claim what is not in the file?
  void look_at(const Json& pod);
  // A sentence for each kind of what is missing: how many Pods claim it, and one by name.
  std::vector<std::string> not_known() const;

 private:
  using Name = std::pair<std::string, std::string>;  // namespace, name

  struct Missing {
    std::set<Name> names;
    std::size_t pods = 0;
  };

  std::map<std::string, std::set<Name>, std::less<>> there_;
  std::map<std::string, Missing, std::less<>> missing_;
};

}  // namespace tpuwh::server::slices
