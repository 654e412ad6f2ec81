// Where the objects of a cluster come from: a snapshot file, or an API server.
#pragma once

#include "topology/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::source {

class ObjectSource {
 public:
  // One object and its kind; both live for the call.
  using Each = std::function<void(std::string_view kind, const nlohmann::ordered_json& object)>;

  virtual ~ObjectSource() = default;

  // Calls `each` for every Pod, Node, Service, RayCluster and ResourceClaimTemplate, Pods last,
  // so that what is around them is known; other kinds may come and are passed over. No object is
  // nested deeper than 64 levels. Asked again, it tells what there is then.
  virtual Result<void> for_each(const Each& each) = 0;

  // Of the last for_each. Whether everything of this kind ("Node") that concerns the slices
  // was told, so that none means that there is none; a file does not know.
  virtual bool listed(std::string_view) const { return false; }
  // A sentence for each kind that could not be read.
  virtual std::vector<std::string> not_known() const { return {}; }
};

// What a kubectl command has printed, in a file; "-" is `in`. Messages name the command.
class SnapshotFile final : public ObjectSource {
 public:
  static constexpr auto of_slices = "kubectl get pods,nodes,services,rayclusters -A -o json";

  SnapshotFile(std::string file, std::istream& in, std::string made_with = of_slices)
      : file_(std::move(file)), in_(in), made_with_(std::move(made_with)) {}

  //   errors  bad_value: the file cannot be read; bad_json, wrong_type: with what was found
  Result<void> for_each(const Each& each) override;

 private:
  std::string file_;
  std::istream& in_;
  std::string made_with_;
};

}  // namespace tpuwh::server::source
