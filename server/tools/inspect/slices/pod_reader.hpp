// A living Pod as the webhook sees it: the same code that answered for it when it was made.
#pragma once

#include "base/result.hpp"
#include "server/tools/inspect/slices/cluster.hpp"
#include "webhook/config/config.hpp"
#include "webhook/read/cluster.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>

namespace tpuwh::server::slices {

class PodReader {
 public:
  // `config` and `cluster` must outlive the reader. The mode and the workloads of `config`
  // do not count: every Pod of every API is looked at.
  PodReader(const webhook::config::Config& config, const webhook::read::ClusterView& cluster);
  ~PodReader();

  // Nothing where the Pod asks for no chips.
  //
  //   errors  what the webhook would refuse to read, with the path
  Result<std::optional<SeenPod>> read(const nlohmann::ordered_json& object);
  // Of the Pod that was read last: its label <prefix>slice-key, "" for none.
  const std::string& placement_key() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace tpuwh::server::slices
