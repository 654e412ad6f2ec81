// The interface through which the objects of a cluster are read: from a snapshot file
// (snapshot_file.hpp) or from an API server (kubectl/inspect/running/cluster_source.hpp).
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

  // Returns whether the last call of for_each got the complete list of a kind, such as "Node", from
  // the API server. If so, the listed namespaces have no objects of the kind except those that
  // for_each reported. For a file, always returns false.
  virtual bool listed(std::string_view) const { return false; }
  // Whether the cluster knows the kind at all; a file does not know.
  virtual bool served(std::string_view) const { return true; }
  // A sentence for each kind that could not be read, or was left out.
  virtual std::vector<std::string> not_known() const { return {}; }
  // Returns the time at which the objects had the state that for_each reported. For an API server,
  // this is the current time. For a file, it is the newest time that occurs in the objects, or
  // nullopt if no time occurs.
  virtual std::optional<std::chrono::system_clock::time_point> now() const { return std::nullopt; }
  // Returns whether the file of the last call of for_each contains a typed list of the kind, such
  // as a PodList for "Pod". A typed list is the API server's whole answer to one list request. So
  // an object of this kind that is not in the file did not exist. An empty list means that no
  // object of the kind existed.
  virtual bool has_list_of(std::string_view) const { return false; }
  // A file may lack what there is.
  virtual bool of_file() const { return false; }
  // Returns a sentence that explains why the last for_each found no object in the namespace `ns`:
  // for example, the namespace does not exist. Returns "" if there is no such explanation.
  virtual std::string missing_namespace(const std::string&) { return {}; }
};

}  // namespace tpuwh::server::source
