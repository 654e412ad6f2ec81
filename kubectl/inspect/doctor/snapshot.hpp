// A cluster in a file, as `doctor` looks at it.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "kubectl/inspect/source/snapshot_file.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::doctor {

using KindsListed = std::function<bool(std::string_view kind)>;

// What is read of it. Every kind is one that all clusters have.
const source::Reads& reads_of_doctor();

// `objects`: of any kinds and namespaces. A kind of which there is no object at all, and no typed
// list in `listed`, is not known rather than absent; nor does a file say what only a running API
// server does: its version, and what replicas tell of themselves.
//
//   ns  where tpu-webhook is installed; "" finds it as find_installation() does
View view_of(const std::vector<Json>& objects, const KindsListed& listed, const std::string& ns,
             std::chrono::system_clock::time_point now);

}  // namespace tpuwh::server::doctor
