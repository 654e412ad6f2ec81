// Reads the settings of an installation from the flags of its Deployment and from the configuration
// file that the Deployment mounts.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/kube/cluster/features.hpp"
#include "server/text/json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::doctor {

// Where the file of --config is from. `kind` is Secret or ConfigMap.
struct MountedFile {
  std::string kind, name, key;
};

// Returns the kind and name of the object that contains tpu-webhook's configuration file (a Secret
// or a ConfigMap), and the file's key in this object. Returns nullopt if the Deployment has no
// --config, or if no Secret or ConfigMap is mounted at the folder of the file.
std::optional<MountedFile> mounted_config(const Json& deployment);

// The text of the file, of the object that it is mounted from; "" where it is not there.
std::string text_of(const MountedFile& file, const Read& object);

// The file itself, of the object that it is mounted from. `why` says what is wrong with it.
Read config_of(const MountedFile& file, const Read& object);

// Whether every setting is known that the Deployment is given.
bool settings_known(const View& view);

// A setting that is one word ("mode", "tls.secret"), by its flag or in the file; "" if
// neither says it, or is known.
std::string setting(const View& view, const std::string& name);

// The port that replicas serve HTTPS at, that of /readyz, and that of metrics alone, 0 for none,
// with who says it ("--listen"). Nothing where the settings are not known.
struct Port {
  int number;
  std::string from;
};
std::optional<Port> https_port(const View& view);
std::optional<Port> health_port(const View& view);
std::optional<Port> metrics_port(const View& view);

// Returns, for each feature that reads objects from the API server, whether the feature is on. If a
// setting is not known, its default is used.
kube::cluster::Features features_of(const View& view);

// Returns whether tpu-webhook calls the API server, that is, whether any feature that
// features_of() returns is on.
bool needs_api_server(const View& view);

// The workload APIs that are handled, as --workloads names them: by the settings, else by the
// configuration's entries (layout.hpp), else all.
std::vector<std::string> handled(const View& view);

// Whether Pods of this workload API are only watched. Nothing where it is not known.
std::optional<bool> in_shadow(const View& view, std::string_view workload);

}  // namespace tpuwh::server::doctor
