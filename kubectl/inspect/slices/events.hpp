// Where a cluster says why Pods of a slice are not there.
#pragma once

#include "kubectl/inspect/slices/slice_report.hpp"

#include <cstdint>
#include <string>

namespace tpuwh::server::slices {

// The command that prints the events of the object that makes the Pod of host `host`: of a JobSet
// the Job, of a LeaderWorkerSet the StatefulSet of leaders or of that group, else the owner. ""
// where nothing makes it, or its name is fit for no command.
//   kubectl -n ml get events --field-selector
//   involvedObject.kind=Job,involvedObject.name=lm-slice-0
std::string events_command(const SliceReport& slice, std::uint32_t host);

}  // namespace tpuwh::server::slices
