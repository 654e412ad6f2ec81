#include "server/outlook/help.hpp"

#include "server/catalog/gcloud.hpp"
#include "server/outlook/capacity.hpp"
#include "server/text/json_text.hpp"
#include "topology/node_pool.hpp"

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

}  // namespace

bool is_word(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+";
  return !text.empty() && !text.starts_with('-') &&
         text.find_first_not_of(plain) == std::string_view::npos;
}

void Help::kubectl(std::string_view words, std::initializer_list<std::string_view> names) {
  if (std::ranges::all_of(names, is_word)) add(fmt::format("kubectl {}", words));
}

void Help::add(std::string command) {
  if (std::ranges::find(commands_, command) == commands_.end())
    commands_.push_back(std::move(command));
}

void add_pools(const Member& member, std::uint32_t slices, Help& help) {
  const auto pool = topology::find_node_pool(member.accelerator(), member.topology(),
                                             member.slice().chips_per_host);
  if (!pool) return;
  auto options = capacity_of([&](std::string_view label) { return member.selected(label); });
  options.slices = slices;
  if (catalog::complaint(*pool, options)) return;
  for (const auto& command : catalog::gcloud_commands(*pool, options)) help.add(command.text());
}

void add_pool_list(Help& help) {
  help.add("gcloud container node-pools list --cluster=$CLUSTER --location=$LOCATION");
}

std::string common_label(const nlohmann::ordered_json& member) {
  const auto labels = text::member(text::member(member, "metadata"), "labels");
  for (const char* key : common_keys) {
    const std::string value = text::text_member(labels, key);
    if (is_word(value)) return fmt::format("{}={}", key, value);
  }
  return {};
}

}  // namespace tpuwh::server::outlook
