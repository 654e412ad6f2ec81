// Whose Pods these are: one graph of the objects that make others, by their owner references, and
// by labels where a parent is not in the input.
#pragma once

#include "server/text/json.hpp"

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tpuwh::server::slices {

struct ObjectName {
  std::string kind, ns, name;
  bool operator==(const ObjectName&) const = default;
};

class Owners {
 public:
  // That make Pods, or what makes them.
  static std::span<const std::string_view> kinds();

  // An object that something else may have made.
  void add(const Json& object);

  // All objects of this kind were added.
  void add_all_of(std::string_view kind) { makers_[std::string(kind)]; }

  // Whether one of these was deleted, as far as can be seen: objects of its kind were added, and it
  // was not. What it made follows soon.
  bool any_deleted(const std::vector<ObjectName>& chain) const;

  // The objects that made a Pod, the nearest first: "Job train-slice-0", "JobSet train". Without
  // end a circle is none: each stands once. Empty for a Pod that nobody made.
  std::vector<ObjectName> of_pod(const Json& pod) const;

 private:
  void climb(std::vector<ObjectName>& chain) const;

  std::map<std::tuple<std::string, std::string, std::string>, ObjectName> parents_;
  // Of the kinds that make others.
  std::map<std::string, std::set<std::pair<std::string, std::string>>, std::less<>> makers_;
};

// Whether an object of these is `kind` `name`, or was made by it as its controller names what it
// makes: the Jobs of a CronJob by the minute, the RayCluster of a RayJob or RayService with five
// letters more.
bool includes(const std::vector<ObjectName>& chain, std::string_view kind, std::string_view ns,
              std::string_view name);

}  // namespace tpuwh::server::slices
