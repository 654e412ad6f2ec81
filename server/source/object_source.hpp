// Where the objects of a cluster come from: a snapshot file, or an API server.
#pragma once

#include "topology/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <functional>
#include <istream>
#include <optional>
#include <set>
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
  // so that what is around them is known; other kinds may come and are passed over, and those of
  // quota (live::LiveScope::queues) come where they are asked for. No object is nested deeper than
  // 64 levels. Asked again, it tells what there is then.
  virtual Result<void> for_each(const Each& each) = 0;

  // Of the last for_each. Whether everything of this kind ("Node") that concerns the slices
  // was told, so that none means that there is none; a file does not know.
  virtual bool listed(std::string_view) const { return false; }
  // Whether the cluster knows the kind at all; a file does not know.
  virtual bool served(std::string_view) const { return true; }
  // What time it is there; a file does not know.
  virtual std::optional<std::chrono::system_clock::time_point> now() const { return std::nullopt; }
  // A sentence for each kind that could not be read.
  virtual std::vector<std::string> not_known() const { return {}; }
  // Of the last for_each: why there is nothing to find in namespace `ns`, a sentence; "" where
  // there may be something.
  virtual std::string missing_namespace(const std::string&) { return {}; }
};

// What kubectl commands have printed, as JSON or YAML, in files and folders
// (server/text/input_files.hpp); "-" is `in`. Messages name the command.
class SnapshotFile final : public ObjectSource {
 public:
  static constexpr auto of_slices = "kubectl get pods,nodes,services,rayclusters -A -o json";
  // With the quota of Kueue; where it is not installed, of_slices.
  static constexpr auto of_outlook =
      "kubectl get pods,nodes,services,rayclusters,localqueues,clusterqueues,resourceflavors -A "
      "-o json";

  SnapshotFile(std::vector<std::string> files, std::istream& in, std::string made_with = of_slices)
      : files_(std::move(files)), in_(in), made_with_(std::move(made_with)) {}

  // Where the cluster is only what is around, one without objects is a cluster, too.
  void may_be_empty() { may_be_empty_ = true; }

  //   errors  bad_value: a file cannot be read, or they hold no object; bad_json, wrong_type: with
  //           what was found
  Result<void> for_each(const Each& each) override;
  std::string missing_namespace(const std::string& ns) override;

 private:
  Result<void> read(const std::string& file, std::vector<nlohmann::ordered_json>& out);

  std::vector<std::string> files_;
  std::istream& in_;
  std::string made_with_;
  std::set<std::string> namespaces_;  // of the objects, and the Namespaces themselves
  bool has_namespaces_ = false;       // a Namespace was among them
  bool may_be_empty_ = false;
};

// Another source, of which somebody hears each object before it is told.
class OverheardSource final : public ObjectSource {
 public:
  // `source` outlives it.
  OverheardSource(ObjectSource& source, Each hear) : source_(source), hear_(std::move(hear)) {}

  Result<void> for_each(const Each& each) override {
    return source_.for_each([&](std::string_view kind, const nlohmann::ordered_json& object) {
      hear_(kind, object);
      each(kind, object);
    });
  }
  bool listed(std::string_view kind) const override { return source_.listed(kind); }
  bool served(std::string_view kind) const override { return source_.served(kind); }
  std::optional<std::chrono::system_clock::time_point> now() const override {
    return source_.now();
  }
  std::vector<std::string> not_known() const override { return source_.not_known(); }
  std::string missing_namespace(const std::string& ns) override {
    return source_.missing_namespace(ns);
  }

 private:
  ObjectSource& source_;
  const Each hear_;
};

}  // namespace tpuwh::server::source
