// A kind whose objects hold others, or whose controller makes others of them: a row of data, or a
// function where a controller does more than to copy.
#pragma once

#include "kubectl/inspect/source/manifests.hpp"
#include "kubectl/predict/expand/pod_template.hpp"
#include "kubectl/predict/wrappers/path.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace tpuwh::server::wrappers {

// Why not everything comes of an object.
struct Fault {
  bool refused = false;  // by the API server, the controller or its webhook; else it is not known
  std::string sentence;
  std::string fix = {};  // "" where the sentence says it
};

// An object that comes of another. `origin.holders` is what open() knows.
struct Made {
  Json object;
  source::Origin origin = {};
  std::string of = {};  // what else it is made of: "ClusterTrainingRuntime jax"
};

struct Making {
  std::vector<Made> made = {};
  std::vector<Fault> faults = {};
};

// Nothing is made, since this is refused.
inline Making refused(const Error& error) {
  return {.faults = {{.refused = true, .sentence = std::string(error.text())}}};
}

// Another object of the input by kind, namespace ("" of what has none) and name; null for none.
using Beside = std::function<const source::Manifest*(std::string_view kind, const std::string& ns,
                                                     const std::string& name)>;

// What a controller makes of an object without nulls.
using Make = Making (*)(const Json& object, const expand::Owner& self, const Beside& beside);

// Pods that a controller makes of a template, of which Kubernetes' own controllers see nothing.
struct Pods {
  Path pod_template;
  // How many: a number, or where it stands; a "[*]" of it is the template's.
  std::variant<std::uint64_t, Path> count = std::uint64_t{1};
  bool as_job = false;  // an Indexed Job makes them
};

struct Wrapper {
  std::string group, kind;    // of any version
  std::string resource = {};  // how an API server serves it: "trainjobs"; "" if not known
  std::string also = {};      // a kind that its controller makes beside, and that is not made here
  std::vector<Path> children = {};  // whole objects
  std::vector<Pods> pods = {};
  Make make = nullptr;
  bool nests = true;      // may hold another of its kind, and objects of other namespaces
  bool suspends = false;  // with spec.suspend it creates nothing yet
  bool beside = false;    // makes nothing by itself: others are made of it
};

}  // namespace tpuwh::server::wrappers
