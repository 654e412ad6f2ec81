// `kubectl tpu doctor`: is the installation as it should be?
#pragma once

#include "server/text/console.hpp"
#include "server/tools/inspect/running/cluster_access.hpp"

#include <string>

namespace tpuwh::server::doctor {

enum class DoctorOutput { text, json };

struct DoctorOptions {
  std::string ns =
      {};  // of the installation; "" finds it (server/tools/inspect/running/installation.hpp)
  running::ClusterAccess access = {};
  DoctorOutput output = DoctorOutput::text;
};

//   returns  0 nothing fails; 1 a check fails; 2 the API server cannot be asked, or the file not
//            be read
int run_doctor(const DoctorOptions& options, const text::Console& console);

}  // namespace tpuwh::server::doctor
