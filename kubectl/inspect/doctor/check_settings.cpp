// What the program is told, and whether the replicas have read the same.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/settings/read.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <array>
#include <set>

namespace tpuwh::server::doctor {

namespace {

constexpr auto settings_line = "settings";
// The chart's, of the file: another one makes other Pods, since the program reads it once.
constexpr auto checksum = "checksum/config";

std::string sha256(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string out;
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

std::string checksum_of(const Json& pod) {
  return text::text_member(text::member(text::member(pod, "metadata"), "annotations"), checksum);
}

// Replicas that were made for another file than the Deployment now says.
std::vector<std::string> older(const View& view) {
  const std::string now = checksum_of(pod_template(view.deployment.object));
  std::vector<std::string> out;
  for (const Json& pod : view.pods.items)
    if (!checksum_of(pod).empty() && checksum_of(pod) != now) out.push_back(name_of_object(pod));
  return out;
}

// "enforce: ray, job; shadow: lws".
std::string modes(const View& view) {
  std::vector<std::string> enforced, watched;
  for (const std::string& each : handled(view))
    (in_shadow(view, each).value_or(false) ? watched : enforced).push_back(each);
  std::vector<std::string> said;
  if (!enforced.empty())
    said.push_back(fmt::format("Pods are changed (enforce) of {}", fmt::join(enforced, ", ")));
  if (!watched.empty())
    said.push_back(fmt::format("Pods are only reviewed (shadow) of {}", fmt::join(watched, ", ")));
  return fmt::format("{}", fmt::join(said, "; "));
}

// What stands behind "serve" and --config, without its values: it overrides the file.
std::string flags(const View& view) {
  const Json& args = text::member(own_container(pod_template(view.deployment.object)), "args");
  std::vector<std::string> out;
  for (const Json& each : args)
    if (const auto flag = each.is_string() ? each.get<std::string>() : std::string();
        flag.starts_with("--") && !flag.starts_with("--config"))
      out.push_back(flag.substr(0, flag.find('=')));
  return out.empty() ? std::string()
                     : fmt::format("; by flags, which override its file: {}", fmt::join(out, " "));
}

}  // namespace

void check_settings(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  if (view.config.found == Found::unknown)
    return unknown(out, settings_line, view.config.why + flags(view));
  if (view.config.there() && !view.config_text.empty()) {
    // What another release takes, only that one knows.
    const bool same = is_of_this_release(view);
    const auto read = settings::parse_yaml_config(view.config_text, "its configuration file");
    std::set<std::string> problems;
    for (const settings::Problem& each : read.problems)
      if (same) problems.insert(each.text());
    if (!problems.empty())
      return fail(
          out, settings_line,
          fmt::format("a replica that starts exits immediately: {}", fmt::join(problems, "; ")),
          put_back(view));
    const std::string said = checksum_of(pod_template(view.deployment.object));
    if (!said.empty() && said != sha256(view.config_text))
      return warn(
          out, settings_line,
          fmt::format(
              "the configuration file is not the one that the Deployment was rendered with: "
              "replicas that started before have read another; the current one says: {}{}",
              modes(view), flags(view)),
          put_back(view));
  }
  if (const auto others = older(view); !others.empty())
    return warn(out, settings_line,
                fmt::format("replicas run with another configuration file than the Deployment has "
                            "now: {}",
                            fmt::join(others, ", ")),
                "wait for the rollout to finish, or see why it does not: " +
                    kubectl(view.ns, "rollout status deployment/tpu-webhook"));
  ok(out, settings_line, modes(view) + flags(view));
}

}  // namespace tpuwh::server::doctor
