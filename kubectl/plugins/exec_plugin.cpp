#include "kubectl/plugins/exec_plugin.hpp"

#include "kubectl/plugins/child_process.hpp"
#include "server/kube/access/errc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tpuwh::server::plugins {

namespace {

using How = ChildEnd::How;

// How a plugin ended that gave no credential; "" if it ended well.
std::string complaint(const ChildEnd& end, const ChildProcess& child) {
  switch (end.how) {
    case How::exited:
      return end.code == 0 ? "" : fmt::format("exited with {}; expected 0", end.code);
    case How::signalled:
      return fmt::format("was terminated by signal {} ({})", end.code, strsignal(end.code));
    case How::out_of_time:
      return fmt::format("did not finish within {} ms and was killed", child.time_limit.count());
    case How::too_much_output:
      return fmt::format("printed more than {} bytes and was killed", child.output_limit);
    case How::stopped:
      return "was killed because this program is exiting";
  }
  return {};
}

}  // namespace

bool is_exec_version(std::string_view api_version) {
  return api_version == "client.authentication.k8s.io/v1" ||
         api_version == "client.authentication.k8s.io/v1beta1";
}

Result<std::string> ExecPlugin::authorization(Time now) {
  const auto kept = fresh(now);
  if (!kept) return kept.error();
  const std::string& token = (*kept)->credential.token;
  return token.empty() ? "" : "Bearer " + token;
}

kube::access::ClientCertificate ExecPlugin::certificate() const {
  return kept_ ? kept_->credential.certificate : kube::access::ClientCertificate();
}

Result<const ExecPlugin::Kept*> ExecPlugin::fresh(Time now) {
  if (is_fresh(now)) return &*kept_;
  kept_.reset();
  auto credential = run_plugin();
  if (!credential) return credential.error();
  kept_ = Kept{std::move(*credential), std::nullopt};
  if (const auto& expires = kept_->credential.expires) {
    // Bounded on either side: a far date, or its difference to now, would overflow the clock's
    // nanoseconds.
    constexpr WallClock::duration year = std::chrono::hours(24 * 365);
    const auto wall = options_.wall_clock();
    const auto end = std::clamp(*expires, wall, wall + year);
    kept_->expires = now + (end - wall);
  }
  return &*kept_;
}

Result<ExecCredential> ExecPlugin::run_plugin() const {
  ChildProcess child{.command = options_.command,
                     .args = options_.args,
                     .env = options_.env,
                     .time_limit = options_.time_limit,
                     .output_limit = options_.output_limit,
                     .stop = &stopped_};
  child.env.emplace_back("KUBERNETES_EXEC_INFO", exec_info(options_.api_version, options_.cluster));
  const auto say = [&](const std::string& what) {
    return Error(kube::access::Errc::api_access,
                 fmt::format("{}: exec plugin {} {}", options_.where, options_.command, what));
  };
  const auto end = run(child);
  if (!end) {
    const bool missing = end.error().value() == ENOENT;
    return say(not_started(end.error().message(), missing));
  }
  if (const auto what = complaint(*end, child); !what.empty())
    return say(what + "; its output is on standard error");
  auto credential = parse_exec_credential(end->output, options_.api_version);
  if (!credential) return say(credential.error().message());
  return credential;
}

std::string ExecPlugin::not_started(const std::string& why, bool missing) const {
  std::string text = "cannot be started: " + why;
  if (!missing) return text;
  text += options_.command.find('/') == std::string::npos ? "; it is not in $PATH" : "";
  return text + (options_.install_hint.empty() ? "; install it, or use another user"
                                               : "; " + options_.install_hint);
}

}  // namespace tpuwh::server::plugins
