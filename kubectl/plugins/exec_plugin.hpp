// Credentials from a program that the kubeconfig names (gke-gcloud-auth-plugin, `aws eks
// get-token`, kubelogin).
//
//   source  https://kubernetes.io/docs/reference/access-authn-authz/authentication/
//           "client-go credential plugins"; client-go plugin/pkg/client/auth/exec, 1.36
#pragma once

#include "kubectl/plugins/exec_credential.hpp"
#include "server/kube/access/credentials.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::plugins {

// The most that a plugin may print: a token and a chain of certificates are some 10 KB.
inline constexpr std::size_t plugin_bytes = 1u << 20;

// How long a plugin may take. client-go waits forever; gke-gcloud-auth-plugin and aws eks get-token
// take 1 to 5 s, a person at a browser's sign-in page longer.
inline constexpr std::chrono::seconds plugin_time{60};

// What a cluster's `extensions` call the part that is for the plugin.
inline constexpr std::string_view exec_extension = "client.authentication.k8s.io/exec";

inline constexpr std::string_view exec_versions_text =
    "client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1";
bool is_exec_version(std::string_view api_version);

class ExecPlugin final : public kube::access::Credentials {
 public:
  using WallClock = std::chrono::system_clock;

  struct Options {
    std::string command;
    std::vector<std::string> args;
    std::vector<std::pair<std::string, std::string>> env;
    std::string api_version;
    std::string install_hint;  // what the kubeconfig says to do when the command is missing
    Json cluster;              // provideClusterInfo; null without it
    std::string where;         // "PATH:12", for messages
    std::chrono::milliseconds time_limit = plugin_time;
    std::size_t output_limit = plugin_bytes;
    // When a credential expires is told by the clock on the wall.
    std::function<WallClock::time_point()> wall_clock = &WallClock::now;
  };
  explicit ExecPlugin(Options options) : options_(std::move(options)) {}

  // Runs the plugin at the first call, after the time that it named (if it did), and after
  // rejected(). A plugin that fails is run again by the next call: pause between calls.
  Result<std::string> authorization(Time now) override;
  bool is_slow(Time now) const override { return !is_fresh(now); }
  kube::access::ClientCertificate certificate() const override;
  void rejected() override { kept_.reset(); }
  void stop() override { stopped_ = true; }

 private:
  struct Kept {
    ExecCredential credential;
    std::optional<Time> expires;
  };

  bool is_fresh(Time now) const { return kept_ && (!kept_->expires || now < *kept_->expires); }
  Result<const Kept*> fresh(Time now);
  Result<ExecCredential> run_plugin() const;
  std::string not_started(const std::string& why, bool missing) const;

  Options options_;
  std::optional<Kept> kept_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace tpuwh::server::plugins
