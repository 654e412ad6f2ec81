// `tpu-webhook doctor`: is the installation as it should be?
#pragma once

#include "server/kube/client/session.hpp"
#include "server/source/object_source.hpp"
#include "server/text/console.hpp"

#include <string>

namespace tpuwh::server::doctor {

enum class DoctorOutput { text, json };

struct DoctorOptions {
  std::string ns;  // of the installation; "" finds it (server/live/installation.hpp)
  DoctorOutput output = DoctorOutput::text;
};

//   returns  0 nothing fails; 1 a check fails; 2 the API server cannot be asked
int run_doctor(const DoctorOptions& options, kube::client::Session& session,
               const text::Console& console);

// Of a cluster in a file.
//
//   returns  2: the file cannot be read
int run_doctor(const DoctorOptions& options, source::ObjectSource& snapshot,
               const text::Console& console);

}  // namespace tpuwh::server::doctor
