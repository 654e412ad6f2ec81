// `tpu-webhook doctor`: is the installation as it should be?
#pragma once

#include "server/kube/client/session.hpp"
#include "server/source/object_source.hpp"
#include "server/text/console.hpp"

#include <string>

namespace tpuwh::server {

enum class DoctorOutput { text, json };

struct DoctorOptions {
  std::string ns;  // of the installation; "" finds it (installation.hpp)
  DoctorOutput output = DoctorOutput::text;
};

//   returns  0 nothing fails; 1 a check fails; 2 the API server cannot be asked
int run_doctor(const DoctorOptions& options, kube::Session& session, const Console& console);

// Of a cluster in a file.
//
//   returns  2: the file cannot be read
int run_doctor(const DoctorOptions& options, ObjectSource& snapshot, const Console& console);

}  // namespace tpuwh::server
