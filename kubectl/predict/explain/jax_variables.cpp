#include "kubectl/predict/explain/jax_variables.hpp"

#include "base/names.hpp"
#include "kubectl/inspect/slices/env_entries.hpp"
#include "kubectl/predict/explain/pod_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tpuwh::server::explain {

namespace {

using Number = std::optional<std::uint64_t>;

// "metadata.labels['KEY']" of the Pod's own; "" for another path.
std::string own_field(const Json& pod, std::string_view path) {
  for (const char* map : {"labels", "annotations"}) {
    const std::string begin = fmt::format("metadata.{}['", map);
    if (!path.starts_with(begin) || !path.ends_with("']")) continue;
    path.remove_prefix(begin.size());
    path.remove_suffix(2);
    return text::text_member(at(pod, {"metadata", map}), std::string(path));
  }
  return {};
}

// Nothing where it is absent, or not known.
Number value_of(const Json& pod, const Json& container, std::string_view name) {
  const Json* entry = slices::env_entry(container, name);
  if (entry == nullptr) return std::nullopt;
  const std::string path = text::text_member(at(*entry, {"valueFrom", "fieldRef"}), "fieldPath");
  return base::plain_decimal(path.empty() ? text::text_member(*entry, "value")
                                          : own_field(pod, path));
}

// What one container says, against where it stands.
std::string contradiction(const slices::SeenPod& seen, std::uint64_t process, Number count,
                          Number id) {
  const std::uint64_t of_slice = std::uint64_t{seen.hosts} * seen.processes_per_host;
  const std::uint64_t of_job = of_slice * std::max(seen.slice_count, 1u);
  if (count && *count != of_slice && *count != of_job)
    return fmt::format("JAX_NUM_PROCESSES is {}, but the slice has {} processes{}", *count,
                       of_slice, of_job == of_slice ? "" : fmt::format(", and its job {}", of_job));
  if (!id || !seen.host) return {};
  const std::uint64_t in_slice = std::uint64_t{*seen.host} * seen.processes_per_host + process;
  const std::uint64_t in_job = in_slice + of_slice * seen.slice.value_or(0);
  const bool right =
      count ? *id == (*count == of_slice ? in_slice : in_job) : *id == in_slice || *id == in_job;
  if (right) return {};
  return fmt::format("JAX_PROCESS_ID is {}, but this Pod is process {} of {}", *id,
                     count && *count == of_job ? in_job : in_slice, count.value_or(of_slice));
}

// The address is another host's than that of process 0. A name that is none of the slice's may be a
// Service's.
std::string other_coordinator(const Json& container, const slices::TpuProcess& process) {
  const Json* entry = slices::env_entry(container, "JAX_COORDINATOR_ADDRESS");
  const auto& names = process[webhook::read::Variable::tpu_worker_hostnames];
  if (entry == nullptr || !names.literal()) return {};
  std::string told = text::text_member(*entry, "value");
  told.resize(std::min(told.find(':'), told.size()));
  const auto is_told = [&](std::string_view host) {
    return told.starts_with(host) && (told.size() == host.size() || told[host.size()] == '.');
  };
  std::string_view rest = names.text;
  const std::string_view first = rest.substr(0, rest.find(','));
  if (told.empty() || is_told(first)) return {};
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (is_told(rest.substr(0, end)))
      return fmt::format("JAX_COORDINATOR_ADDRESS is {}, but process 0 of the slice is on {}",
                         rest.substr(0, end), first);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace

std::optional<Finding> jax_fault(const Json& pod, const slices::SeenPod& seen) {
  if (!seen.multi_host()) return std::nullopt;
  const Json& containers = at(pod, {"spec", "containers"});
  for (std::uint64_t process = 0; process < seen.processes.size(); ++process)
    for (const Json& container : containers) {
      if (text::text_member(container, "name") != seen.processes[process].container) continue;
      std::string what = contradiction(seen, process, value_of(pod, container, "JAX_NUM_PROCESSES"),
                                       value_of(pod, container, "JAX_PROCESS_ID"));
      if (what.empty()) what = other_coordinator(container, seen.processes[process]);
      if (!what.empty())
        return Finding{
            .denied = false,
            .id = ids::of_explain("jax"),
            .sentence = std::move(what),
            .fix = fixes::Choice{"remove these: JAX finds them in the variables of the slice"}};
    }
  return std::nullopt;
}

}  // namespace tpuwh::server::explain
