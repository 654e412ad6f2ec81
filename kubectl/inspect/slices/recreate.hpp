// Creating the Pods of a slice again, which is how a variable of a running container changes.
#pragma once

#include "kubectl/inspect/slices/slice_report.hpp"

#include <initializer_list>
#include <string>

namespace tpuwh::server::slices {

// What a person does for it: "delete and recreate JobSet ml/train with tpu-webhook in place, and
// without a TPU_WORKER_ID of your own". Where the webhook would give such Pods nothing, that this
// comes first, with the reason.
//
//   wrong  variables that have a wrong value: the webhook never changes one that is not its own
std::string recreate_hint(const SliceReport& slice,
                          std::initializer_list<webhook::read::Variable> wrong = {});

// The same of Pods whose template was mended first.
std::string remake_hint(const SliceReport& slice);

// So that it begins again, whatever the webhook does: "delete and recreate Job ml/train".
std::string restart_hint(const SliceReport& slice);

// The same for Pods that stand where they should not: "with tpu-webhook in place, which keeps
// slices apart". `also` is said of it.
std::string replace_hint(const SliceReport& slice, std::string_view also);

}  // namespace tpuwh::server::slices
