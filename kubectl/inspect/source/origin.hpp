// Where an object comes from that no file holds by itself: it is a part of another one, or its
// controller makes it of others.
#pragma once

#include <string>
#include <vector>

namespace tpuwh::server::source {

// An object of a file that holds or makes another one.
struct Holder {
  std::string kind, ns, name;
  std::string path;  // where the other one is in it: "spec.components[0].template"; "" if made
  std::string of;    // what else it is made of: "ClusterTrainingRuntime jax"
};

// A part of the object, and where it is written. JSON pointers, "" for the whole.
struct Written {
  std::string part;
  std::string kind, ns, name;  // of the object that a file holds; kind "": a controller computes it
  std::string at;
};

// A name of which only a cluster gives out a part, as it is made up, and as it is shown.
struct MadeUp {
  std::string name, shown;
};

struct Origin {
  std::vector<Holder> holders;     // from the inside to the outside
  std::vector<Written> written;    // of several that fit, the longest part holds
  std::vector<std::string> notes;  // what is known of it from its holders, a sentence each
  std::vector<MadeUp> made_up;
  bool by_rule = false;    // of a kind of the user's: what else its controller sets is not known
  std::string shown_kind;  // of Pods without a controller of Kubernetes' own; else ""
};

}  // namespace tpuwh::server::source
