// A living Pod as the webhook sees it: the same code that answered for it when it was made.
#pragma once

#include "base/result.hpp"
#include "kubectl/inspect/slices/cluster.hpp"
#include "server/text/json.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/config/config.hpp"
#include "webhook/read/cluster.hpp"

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
  Result<std::optional<SeenPod>> read(const Json& object);
  // Of the Pod that was read last: its label <prefix>slice-key, "" for none.
  const std::string& placement_key() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

// The same of a Pod that was just answered, without a second decision: `after` is the Pod with the
// patch, as the API server stores it. Nothing where the answer does not say who it is as its Pod in
// a cluster would be read: it is no member, or the mode is shadow, or its author asks for no check,
// or its chips are claimed; PodReader says it then.
std::optional<SeenPod> seen_in_answer(const webhook::answer::Answer& answer, const Json& after,
                                      const std::string& prefix);

}  // namespace tpuwh::server::slices
