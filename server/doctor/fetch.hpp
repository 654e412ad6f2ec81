// Reads what `doctor` looks at. Nothing is written.
#pragma once

#include "server/doctor/view.hpp"
#include "server/kube/client/session.hpp"
#include "server/live/installation.hpp"

namespace tpuwh::server::doctor {

// What may not be read, or is not there, is said in its place of the view.
View fetch(kube::client::Session& session, const live::Installation& installed);

}  // namespace tpuwh::server::doctor
