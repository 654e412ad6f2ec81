// What an installation is told to do: by the flags of its Deployment, and by the configuration
// file that the Deployment mounts.
#pragma once

#include "server/doctor/view.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::doctor {

// Where the file of --config is from. `kind` is Secret or ConfigMap.
struct MountedFile {
  std::string kind, name, key;
};

// Nothing where the Deployment names no file, or mounts none at its folder.
std::optional<MountedFile> mounted_config(const Json& deployment);

// The file itself, of the object that it is mounted from. `why` says what is wrong with it.
Read config_of(const MountedFile& file, const Read& object);

// Whether every setting is known that the Deployment is given.
bool settings_known(const View& view);

// A setting that is one word ("mode", "tls.secret"), by its flag or in the file; "" if
// neither says it, or is known.
std::string setting(const View& view, const std::string& name);

// The workload APIs that are handled, as --workloads names them: by the settings, else by the names
// of the configuration's entries ("ray.pods.tpu-webhook.dev"), else all.
std::vector<std::string> handled(const View& view);

// Whether Pods of this workload API are only watched. Nothing where it is not known.
std::optional<bool> in_shadow(const View& view, std::string_view workload);

}  // namespace tpuwh::server::doctor
