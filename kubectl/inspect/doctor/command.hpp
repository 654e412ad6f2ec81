// `kubectl tpu doctor`: is the installation as it should be?
#pragma once

#include "kubectl/inspect/running/cluster_access.hpp"
#include "kubectl/text/console.hpp"

#include <string>

namespace tpuwh::server::doctor {

enum class DoctorOutput { text, json };

// Whether Pods are sent to the API server, as dry runs.
enum class Probing {
  none,
  also,   // beside the checks, which read
  alone,  // of what the checks read, only what the judgement of a probe needs
};

struct DoctorOptions {
  std::string ns =
      {};  // of the installation; "" finds it (kubectl/inspect/running/installation.hpp)
  running::ClusterAccess access = {};
  DoctorOutput output = DoctorOutput::text;
  Probing probing = Probing::none;
  std::string probe_ns = "default";  // where Pods are tried
};

// With a file and probes, what is installed is read from the file alone, and the Pods are sent to
// the API server of `access`.
//
//   returns  0 nothing fails; 1 a check fails; 2 the API server cannot be asked, also for a probe,
//            or the file not be read
int run_doctor(const DoctorOptions& options, const text::Console& console);

}  // namespace tpuwh::server::doctor
