// What may mend a finding: guesses, the likeliest first, of which make.hpp keeps what holds when it
// is tried.
#pragma once

#include "kubectl/fixes/fix.hpp"
#include "kubectl/fixes/pod_template.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::fixes {

// An object, and those beside it in the input that say something about it.
struct Subject {
  const Json& object;
  std::string ns;                          // its namespace
  std::string prefix;                      // of annotations of ours: "tpu-webhook.dev/"
  std::vector<const Json*> services = {};  // of the same namespace
  std::vector<const Json*> compute_classes = {};
};

// One way to mend it; all of its steps are done.
//
//   a tier   ways that are equally likely: where several hold, a person has to choose. A later
//            tier counts where none of an earlier one holds
using Tier = std::vector<Steps>;
using Tiers = std::vector<Tier>;

// More ways than these are a choice without a trial.
inline constexpr std::size_t max_ways = 6;

//   id         "TPU-405", or a name of explain's own: "no-service"
//   sentences  what is said under it
Tiers proposals(const Subject& subject, std::string_view id,
                const std::vector<std::string>& sentences);

}  // namespace tpuwh::server::fixes
