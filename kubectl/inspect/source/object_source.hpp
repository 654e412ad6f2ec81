// Where the objects of a cluster come from: a snapshot (snapshot_file.hpp), or an API server
// (kubectl/inspect/running/cluster_source.hpp).
#pragma once

#include "base/result.hpp"
#include "server/text/json.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::source {

class ObjectSource {
 public:
  // One object and its kind; both live for the call.
  using Each = std::function<void(std::string_view kind, const Json& object)>;

  virtual ~ObjectSource() = default;

  // Calls `each` for every Pod, Node, Service, RayCluster and ResourceClaimTemplate, Pods last,
  // so that what is around them is known; other kinds may come and are passed over, and those of
  // quota (running::ClusterScope::queues) come where they are asked for. No object is nested deeper
  // than 64 levels. Asked again, it tells what there is then.
  virtual Result<void> for_each(const Each& each) = 0;

  // Of the last for_each. Whether everything of this kind ("Node") that concerns the slices
  // was told, so that none means that there is none; a file does not know.
  virtual bool listed(std::string_view) const { return false; }
  // Whether the cluster knows the kind at all; a file does not know.
  virtual bool served(std::string_view) const { return true; }
  // A sentence for each kind that could not be read, or was left out.
  virtual std::vector<std::string> not_known() const { return {}; }
  // When it was so: the clock's time of an API server, of a file what it says. Nothing where it
  // says none.
  virtual std::optional<std::chrono::system_clock::time_point> now() const { return std::nullopt; }
  // Of the last for_each. Whether a file has a typed list of the kind, perhaps empty: of whatever
  // it was asked for, there are no others.
  virtual bool has_list_of(std::string_view) const { return false; }
  // A file may lack what there is.
  virtual bool of_file() const { return false; }
  // Of the last for_each: why there is nothing to find in namespace `ns`, a sentence; "" where
  // there may be something.
  virtual std::string missing_namespace(const std::string&) { return {}; }
};

}  // namespace tpuwh::server::source
