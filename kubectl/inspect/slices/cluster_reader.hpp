// From the objects of a cluster, in any order, to what slices and findings are made of.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "kubectl/inspect/source/object_source.hpp"
#include "webhook/config/config.hpp"

namespace tpuwh::server::slices {

// Reads everything the source has. A Pod that cannot be read is told of and passed over.
//
//   config  its prefix and its rule for KubeRay's Service names count
//   also    is given every object too, since a source is read once
//   errors  the source's
Result<Cluster> read_cluster(source::ObjectSource& source, const webhook::config::Config& config,
                             const source::ObjectSource::Each& also = {});

}  // namespace tpuwh::server::slices
