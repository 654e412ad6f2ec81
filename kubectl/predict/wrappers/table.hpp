// The kinds whose objects are opened.
//
//   AppWrapper        project-codeflare/appwrapper api/v1beta2/appwrapper_types.go,
//                     internal/webhook/appwrapper_webhook.go, v1.2.2
//   TrainJob          train_job.hpp
//   PathwaysJob       pathways_job.hpp
//   DisaggregatedSet  disaggregated_set.hpp
//
// A List is opened where it stands in another object; those of files are opened by whoever reads
// files. What AppWrapper adds is not added: its label, and scheduler and affinity of its
// configuration.
#pragma once

#include "kubectl/predict/wrappers/wrapper.hpp"

#include <span>
#include <string>
#include <vector>

namespace tpuwh::server::wrappers {

// Null for a kind that is none. `own` are a user's, and go before ours.
const Wrapper* find_wrapper(const Json& object, std::span<const Wrapper> own);

// Those that people write, for a sentence: "AppWrapper", ...
std::vector<std::string> wrapper_kinds();

}  // namespace tpuwh::server::wrappers
