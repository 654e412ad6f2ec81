// Objects of which workloads::PlainMaker says what their controller makes.
#pragma once

#include "webhook/validate/checker.hpp"
#include "webhook/workloads/object_kind.hpp"

namespace tpuwh::webhook::validate {

// Each template by the first of its Pods, and their number by the hosts of its slice: a multiple of
// them where Pods are numbered through all slices, the same where an index is that of a host.
// False where it cannot be read.
bool check_plain(Checker& checker, base::json::Reader::Mark spec,
                 const workloads::ObjectKind& kind);

}  // namespace tpuwh::webhook::validate
