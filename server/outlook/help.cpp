#include "server/outlook/help.hpp"

#include "server/outlook/made_pool.hpp"
#include "server/text/json_text.hpp"
#include "server/text/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::outlook {

namespace {

// Written by the controllers on every Pod of an object, and by people.
constexpr const char* common_keys[] = {"jobset.sigs.k8s.io/jobset-name",
                                       "batch.kubernetes.io/job-name",
                                       "job-name",
                                       "leaderworkerset.sigs.k8s.io/name",
                                       "ray.io/cluster",
                                       "app.kubernetes.io/name",
                                       "app"};

constexpr const char* service_yaml = R"(kubectl apply -f - <<'EOF'
apiVersion: v1
kind: Service
metadata:
  name: {}
  namespace: {}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {}: "{}"
EOF)";

// A name as YAML reads one: "1e3" and "true" are others without quotes.
std::string yaml_name(std::string_view name) {
  std::string out = text::to_yaml(std::string(name));
  out.pop_back();  // the line feed
  return out;
}

}  // namespace

void Help::apply_service(std::string_view ns, std::string_view name, std::string_view label) {
  if (!text::is_plain_name(ns) || !text::is_plain_name(name)) return;
  const auto equals = label.find('=');
  add_text(fmt::format(service_yaml, yaml_name(name), yaml_name(ns), label.substr(0, equals),
                       label.substr(equals + 1)));
}

void Help::add_text(std::string command) {
  if (!command.empty() && std::ranges::find(commands_, command) == commands_.end())
    commands_.push_back(std::move(command));
}

void add_pools(const Member& member, std::uint32_t slices, Help& help) {
  const MadePool made = made_pool(member, {.slices = slices});
  if (!made.pool || !made.why_not.empty()) return;
  for (const auto& command : catalog::gcloud_commands(*made.pool, made.options)) help.add(command);
}

void add_pool_list(Help& help) {
  help.add(text::ShellCommand(
      "gcloud container node-pools list --cluster=$CLUSTER --location=$LOCATION"));
}

std::string common_label(const nlohmann::ordered_json& member) {
  const auto& labels = text::member(text::member(member, "metadata"), "labels");
  for (const char* key : common_keys) {
    const std::string value = text::text_member(labels, key);
    if (text::is_plain_name(value)) return fmt::format("{}={}", key, value);
  }
  return {};
}

}  // namespace tpuwh::server::outlook
