#include "kubectl/predict/expand/lws_tpu.hpp"

#include "base/result.hpp"
#include "kubectl/objects/quantity.hpp"
#include "kubectl/predict/expand/pod_template.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::expand {

namespace {

constexpr const char* process_port = "TPU_PROCESS_PORT";

// An API server stores no object above 1.5 MiB.
// source: etcd-io/etcd server/embed/config.go, DefaultMaxRequestBytes, v3.6.16
constexpr std::size_t largest_list = 3 * 512 * 1024;

// A limit that is not zero holds; else the request does.
bool container_requests_tpus(const Json& container) {
  const Json& resources = object_or_empty(container, "resources");
  for (const char* kind : {"limits", "requests"}) {
    const auto amount = objects::quantity_of(
        text::find_member(object_or_empty(resources, kind), webhook::read::key::tpu.data()));
    if (amount && amount->value != 0) return amount->rounded_up != 0;
  }
  return false;
}

// Containers first, whatever the order in which they start.
std::vector<Json*> tpu_containers(Json& pod) {
  std::vector<Json*> out;
  for_each_container(pod, [&](Json& container) {
    if (container_requests_tpus(container)) out.push_back(&container);
  });
  return out;
}

std::string port_of(const Json& container, std::size_t index) {
  constexpr std::size_t first_port = 8476;
  const Json* set = find_env(container, process_port);
  return set != nullptr ? text::text_member(*set, "value") : std::to_string(first_port + index);
}

}  // namespace

bool requests_tpus(const Json& pod_spec) {
  for (const char* key : {"containers", "initContainers"})
    for (const Json& container : array_or_empty(pod_spec, key))
      if (container_requests_tpus(container)) return true;
  return false;
}

Result<void> TpuLists::write(const Hosts& hosts, const std::vector<std::string>& ports) {
  if (!names_.empty() && hosts == hosts_ && ports == ports_) return {};
  hosts_ = hosts;
  ports_ = ports;
  names_.clear();
  addresses_.clear();
  const auto add = [&](const std::string& host) {
    for (const std::string& port : ports) {
      names_ += fmt::format("{}{}.{}", names_.empty() ? "" : ",", host, hosts.subdomain);
      addresses_ +=
          fmt::format("{}{}.{}:{}", addresses_.empty() ? "" : ",", host, hosts.subdomain, port);
    }
    return names_.size() + addresses_.size() <= largest_list;
  };
  bool fits = !hosts.with_leader || add(hosts.leader);
  for (std::uint64_t i = hosts.first; fits && i <= hosts.last; ++i)
    fits = add(fmt::format("{}-{}", hosts.leader, i));
  if (fits) return {};
  return bad_value(
      "makes a list of host names that would exceed the API server's object size limit",
      "spec.leaderWorkerTemplate.size");
}

Result<void> TpuLists::set(Json& pod, const Hosts& hosts, bool subgroup, std::int64_t position) {
  std::vector<Json*> containers = tpu_containers(pod);
  if (containers.empty()) return {};
  if (subgroup) containers.resize(1);
  for (const char* name : {"TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID"})
    if (has_env(*containers.front(), name)) return {};
  std::vector<std::string> ports;
  for (std::size_t i = 0; i < containers.size(); ++i) ports.push_back(port_of(*containers[i], i));
  if (auto good = write(hosts, ports); !good) return good;
  const auto count = static_cast<std::int64_t>(containers.size());
  for (std::size_t i = 0; i < containers.size(); ++i) {
    Json& container = *containers[i];
    const bool has_port = has_env(container, process_port);
    append_env(container, "TPU_WORKER_HOSTNAMES", names_);
    append_env(container, "TPU_WORKER_ID",
               std::to_string(position * count + static_cast<std::int64_t>(i)));
    append_env(container, "TPU_NAME", hosts.leader);
    append_env(container, "TPU_PROCESS_ADDRESSES", addresses_);
    if (!has_port) append_env(container, process_port, ports[i]);
  }
  return {};
}

}  // namespace tpuwh::server::expand
