// What is tried of a manifest: its objects, and what controllers make of them on the way to Pods.
#pragma once

#include "kubectl/inspect/source/manifests.hpp"
#include "kubectl/predict/expand/children.hpp"
#include "kubectl/predict/wrappers/wrapper.hpp"
#include "server/kube/client/request.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::trial {

struct Planned {
  Json object;
  kube::client::Resource resource = {};
  std::string who;         // "Job ml/train": one name for one object
  std::string maker = {};  // likewise, of what makes it or holds it; "" where a file does
  std::string root = {};  // likewise, of what is applied for it to be made: the maker, or its maker
  std::uint64_t count = 1;  // of them, which differ in names and indices alone: this is the first
  bool may_exist = false;   // its maker takes one of this name that is there
};

struct Plan {
  std::vector<Planned> objects;    // what makes or holds another one is before it
  std::set<std::string> not_sent;  // "TrainingRuntime", "PersistentVolumeClaim of StatefulSet"
  std::vector<expand::MadeUpName> made_up;
};

// As Planned::who.
std::string who_is(std::string_view kind, std::string_view ns, std::string_view name);
std::string who_is(const Json& object, const std::string& ns);

// All but Pods. What an object that no file holds would be made of as well, and stands in the same
// input, is in it once.
//
//   manifests  as files hold them
//   rules      kinds of a user
//   ns         of objects that name none
Plan plan_of(std::span<const source::Manifest> manifests, std::span<const wrappers::Wrapper> rules,
             const std::string& ns);

}  // namespace tpuwh::server::trial
