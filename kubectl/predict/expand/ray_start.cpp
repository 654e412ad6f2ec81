#include "kubectl/predict/expand/ray_start.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/quantity.hpp"
#include "kubectl/objects/read_json.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

namespace tpuwh::server::expand {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

using Resources = std::map<std::string, double>;

std::string as_json(const Resources& resources) {
  std::string out;
  for (const auto& [name, amount] : resources)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", text::dump_json(Json(name)),
                       objects::go_number(amount));
  return fmt::format("'{{{}}}'", out);
}

// "nvidia.com/gpu", and "nvidia.com/mig-2g.32gb", a part of one.
bool is_gpu(std::string_view name) {
  if (name.ends_with("gpu")) return true;
  const auto mig = name.find("nvidia.com/mig-");
  if (mig == std::string_view::npos || !name.ends_with("gb")) return false;
  const std::string_view size = name.substr(mig + 15, name.size() - mig - 17);
  const auto dot = size.find("g.");
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return dot != std::string_view::npos && digits(size.substr(0, dot)) &&
         digits(size.substr(dot + 2));
}

// The group's own resources come before what its containers ask for.
void set_group_resources(StartParams& params, const Json& group) {
  Resources others;
  for (const auto& [name, value] : object_or_empty(group, "resources").items()) {
    const auto amount = objects::quantity_of(&value);
    if (!amount) continue;
    const std::string kind = lower(name);
    if (kind == "cpu") {
      params["num-cpus"] = std::to_string(amount->rounded_up);
    } else if (kind == "memory") {
      params["memory"] = std::to_string(amount->rounded_up);
    } else if (is_gpu(kind)) {
      params["num-gpus"] = std::to_string(amount->rounded_up);
    } else {
      others[name] = amount->value;
    }
  }
  if (!others.empty()) params["resources"] = as_json(others);
}

void set_group_labels(StartParams& params, const Json& group) {
  std::map<std::string, std::string> labels;
  for (const auto& [key, value] : object_or_empty(group, "labels").items())
    labels[key] = value.is_string() ? value.get<std::string>() : std::string();
  std::string out;
  for (const auto& [key, value] : labels)
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", key, value);
  if (!out.empty()) params["labels"] = out;
}

// The resources that a user wrote as JSON in quotes; nothing where they are none.
std::optional<Resources> given_resources(const StartParams& params) {
  const auto found = params.find("resources");
  if (found == params.end()) return Resources();
  constexpr std::string_view around = "'\"` ";
  std::string_view text = found->second;
  text.remove_prefix(std::min(text.find_first_not_of(around), text.size()));
  text = text.substr(0, text.find_last_not_of(around) + 1);
  const Json value = objects::parse_json(text);
  if (!value.is_object()) return std::nullopt;
  Resources out;
  for (const auto& [name, amount] : value.items()) {
    if (!amount.is_number()) return std::nullopt;
    out[name] = amount.get<double>();
  }
  return out;
}

struct Accelerator {
  std::string_view container;
  const char* ray;
};
constexpr std::array<Accelerator, 2> accelerators = {
    {{"aws.amazon.com/neuroncore", "neuron_cores"}, {webhook::read::key::tpu, "TPU"}}};

const Accelerator* accelerator(const std::string& name) {
  const auto found =
      std::find_if(accelerators.begin(), accelerators.end(),
                   [&](const Accelerator& candidate) { return name == candidate.container; });
  return found == accelerators.end() ? nullptr : found;
}

bool names_accelerator(const Resources& resources) {
  return std::any_of(accelerators.begin(), accelerators.end(),
                     [&](const Accelerator& a) { return resources.contains(a.ray); });
}

// GPUs, and the first of the accelerators that Ray knows by a name of its own.
void set_accelerators(StartParams& params, const Json& limits) {
  std::optional<Resources> resources = given_resources(params);
  if (!resources) return;
  bool done = names_accelerator(*resources);
  std::map<std::string, const Json*> by_name;
  for (const auto& [name, value] : limits.items()) by_name[name] = &value;
  for (const auto& [name, value] : by_name) {
    const auto amount = objects::quantity_of(value);
    if (!amount || amount->value == 0) continue;
    if (is_gpu(name)) params.try_emplace("num-gpus", std::to_string(amount->rounded_up));
    const Accelerator* known = accelerator(name);
    if (done || known == nullptr) continue;
    (*resources)[known->ray] = amount->value;
    params["resources"] = as_json(*resources);
    done = true;
  }
}

// The amount as a whole number; "" for none.
std::string amount_of(const Json& resources, const char* name) {
  const auto amount = objects::quantity_of(text::find_member(resources, name));
  return amount && amount->value != 0 ? std::to_string(amount->rounded_up) : std::string();
}

void set_container_resources(StartParams& params, const Json& container) {
  const Json& resources = object_or_empty(container, "resources");
  const Json& limits = object_or_empty(resources, "limits");
  std::string cpus = amount_of(limits, "cpu");
  if (cpus.empty()) cpus = amount_of(object_or_empty(resources, "requests"), "cpu");
  if (!cpus.empty()) params.try_emplace("num-cpus", cpus);
  if (const std::string memory = amount_of(limits, "memory"); !memory.empty())
    params.try_emplace("memory", memory);
  set_accelerators(params, limits);
}

// A parameter that is true is a flag without a value, one that is false is none.
std::string flag(const std::string& name, const std::string& value) {
  const bool takes_value = name == "log-color" || name == "include-dashboard";
  const std::string word = lower(value);
  if (takes_value || (word != "true" && word != "false"))
    return fmt::format(" --{}={} ", name, value);
  return word == "true" ? fmt::format(" --{} ", name) : std::string();
}

}  // namespace

StartParams start_params(const Json& group, RayNode node, const std::string& address) {
  StartParams params;
  for (const auto& [key, value] : object_or_empty(group, "rayStartParams").items())
    params[key] = value.is_string() ? value.get<std::string>() : std::string();
  set_group_resources(params, group);
  set_group_labels(params, group);
  if (node == RayNode::worker) params.try_emplace("address", address);
  if (node == RayNode::head) params.try_emplace("dashboard-host", "0.0.0.0");
  params.try_emplace("metrics-export-port", "8080");
  params["block"] = "true";
  params.try_emplace("dashboard-agent-listen-port", "52365");
  return params;
}

std::optional<double> stated_tpus(const Json& group) {
  StartParams params = start_params(group, RayNode::worker, "");
  std::erase(params["resources"], '\\');  // the shell takes them out
  const auto resources = given_resources(params);
  if (!resources) return std::nullopt;
  const auto found = resources->find("TPU");
  return found == resources->end() ? std::nullopt : std::optional(found->second);
}

std::string start_command(StartParams params, RayNode node, const Json& container) {
  set_container_resources(params, container);
  std::string out = node == RayNode::head ? "ray start --head " : "ray start ";
  for (const auto& [name, value] : params) out += flag(name, value);
  return out;
}

}  // namespace tpuwh::server::expand
