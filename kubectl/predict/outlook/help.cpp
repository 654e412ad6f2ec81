#include "kubectl/predict/outlook/help.hpp"

#include "kubectl/fixes/headless_service.hpp"
#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/predict/outlook/made_pool.hpp"
#include "kubectl/print/shell_command.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::outlook {

namespace {

using webhook::read::Label;

// Written by the controllers on every Pod of an object, and by people.
const char* const common_keys[] = {objects::key_of(Label::jobset_name),
                                   objects::key_of(Label::job_name),
                                   objects::key_of(Label::job_name_legacy),
                                   objects::key_of(Label::lws_name),
                                   objects::key_of(Label::ray_cluster),
                                   objects::key::app_name,
                                   "app"};

}  // namespace

void Help::apply_service(std::string_view ns, std::string_view name, std::string_view label) {
  if (!print::is_plain_name(ns) || !print::is_plain_name(name)) return;
  const auto equals = label.find('=');
  const std::string key(label.substr(0, equals)), value(label.substr(equals + 1));
  add(fixes::Command::create(
      fixes::headless_service(std::string(ns), std::string(name), Json::object({{key, value}}))));
}

void Help::add(fixes::Command command) {
  if (!command.text().empty() && std::ranges::find(commands_, command) == commands_.end())
    commands_.push_back(std::move(command));
}

void add_pools(const Member& member, std::uint32_t slices, Help& help,
               std::set<std::string>& names) {
  MadePool made = made_pool(member, {.slices = slices});
  if (!made.pool || !made.why_not.empty()) return;
  const std::string name = catalog::pool_name(*made.pool, made.options);
  if (!made.options.name.empty() && names.contains(name)) return;
  if (names.contains(name)) made.options.before = 1;
  for (std::uint32_t i = 0; i <= names.size(); ++i)
    if (names.contains(fmt::format("{}-{}", name, i))) made.options.before = i + 1;
  for (const auto& command : catalog::gcloud_commands(*made.pool, made.options)) {
    fixes::Command value = fixes::Command::gcloud(command);
    constexpr std::string_view pool = "node-pools ";
    if (value.object().starts_with(pool)) names.insert(value.object().substr(pool.size()));
    help.add(std::move(value));
  }
}

void add_pool_list(Help& help) {
  help.add(fixes::Command::gcloud({{"gcloud", "container", "node-pools", "list",
                                    "--cluster=$CLUSTER", "--location=$LOCATION"}}));
}

std::string common_label(const Json& member) {
  for (const char* key : common_keys) {
    const std::string value = objects::label(member, key);
    if (print::is_plain_name(value)) return fmt::format("{}={}", key, value);
  }
  return {};
}

}  // namespace tpuwh::server::outlook
