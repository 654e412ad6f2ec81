// The JobSet that pathways-job makes of a PathwaysJob.
//   source  google/pathways-job internal/controller/pathwaysjob_controller.go, c0cc759: read, and
//           not run
//
// Its own list of topologies for each machine type is not looked at: what no slice has, the Pods
// are told of. Images, arguments and volumes of its containers are what it makes of them, as far
// as a manifest without customComponents has them.
#pragma once

#include "kubectl/predict/wrappers/wrapper.hpp"

namespace tpuwh::server::wrappers {

//   faults  refused: what its CRD refuses of what is read here
Making make_of_pathways_job(const Json& object, const expand::Owner& self, const Beside& beside);

}  // namespace tpuwh::server::wrappers
