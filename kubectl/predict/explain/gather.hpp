// The slices that Pods form, gathered one Pod after the other: of each only what is told of it is
// kept, and what several have alike once.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "kubectl/predict/explain/explanation.hpp"
#include "server/text/json.hpp"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

// A Pod as its controller makes it, as it is stored, and what the webhook takes it for.
struct AnsweredPod {
  const Json& before;
  const Json& after;
  const slices::SeenPod& seen;
  std::string workload;  // "job": Summary::workload
  // Names of variables that its manifest sets; null: all that there are.
  const std::set<std::string>* in_manifest = nullptr;
};

class Gatherer {
 public:
  Gatherer();
  ~Gatherer();

  // True: it is the first of its slice.
  bool add(const AnsweredPod& pod);
  // How many groups there are.
  std::size_t groups() const;
  // In the order in which their first Pods came.
  std::vector<Group> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tpuwh::server::explain
