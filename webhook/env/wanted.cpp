#include "webhook/env/wanted.hpp"

#include "webhook/facts/env_entry.hpp"
#include "webhook/identity/joins.hpp"

#include <algorithm>
#include <charconv>

namespace tpuwh::webhook::env {

namespace {

// Expanded by the kubelet from the variable that stands before it.
constexpr std::string_view device_plugin_address = "$(TPU_DEVICE_PLUGIN_HOST_IP):2112";

// Where LeaderWorkerSet writes -1, or did before it was put right.
bool repairs_worker_id(const ContainerEnv& env) {
  if (!env.facts.lws()) return false;
  const read::EnvEntry* entry = env.facts.pod->entry(env.container, read::Variable::tpu_worker_id);
  return (entry != nullptr && facts::is_id_of_nobody(env.facts, *entry)) ||
         env.facts.before->find(env.container.name, read::Variable::tpu_worker_id) != nullptr;
}

bool wants_worker_id(const ContainerEnv& env) {
  const facts::Facts& facts = env.facts;
  if (facts.slice.multi_host()) return facts.named;
  return facts.slice.traits.ids_by_webhook || facts.slice.processes > 1 || facts.ray() ||
         repairs_worker_id(env);
}

void want_slices(const ContainerEnv& env, const EnvValues& values) {
  const facts::Facts& facts = env.facts;
  WantedEnv& wanted = env.wanted;
  if (values.coordinator.empty() || !identity::joins_slices(facts)) return;
  if (facts.slice_count > 0)
    wanted.add_number(read::Variable::megascale_num_slices, facts.slice_count);
  wanted.add_number(read::Variable::megascale_slice_id, facts.job_slice);
  wanted.add(read::Variable::megascale_coordinator_address, values.coordinator.view());
  // A coordinator of the user's own (Pathways) has a transport of its own too.
  const read::EnvEntry* coordinator =
      facts::set_by_others(facts, env.container, read::Variable::megascale_coordinator_address);
  if (coordinator == nullptr || coordinator->value == values.coordinator.view())
    wanted.add_number(read::Variable::megascale_port, megascale_port(facts, env.process));
}

void want_device_plugin(const ContainerEnv& env) {
  if (!env.facts.ray()) return;
  env.wanted.add(read::Variable::tpu_device_plugin_host_ip, facts::host_ip_field);
  env.wanted.add(read::Variable::tpu_device_plugin_addr, device_plugin_address);
}

void want_all(const ContainerEnv& env, const EnvValues& values) {
  const facts::Facts& facts = env.facts;
  WantedEnv& wanted = env.wanted;
  wanted.clear();
  want_slices(env, values);
  if (values.hostnames != nullptr)
    wanted.add(read::Variable::tpu_worker_hostnames, *values.hostnames);
  if (values.addresses != nullptr) {
    wanted.add(read::Variable::tpu_process_addresses, *values.addresses);
    wanted.add_number(read::Variable::tpu_process_port, values.ports.of[env.process]);
  }
  if (wants_worker_id(env))
    wanted.add_number(read::Variable::tpu_worker_id,
                      facts.host * facts.slice.processes_per_host + env.process);
  if (!values.tpu_name.empty()) wanted.add(read::Variable::tpu_name, values.tpu_name.view());
  want_device_plugin(env);
  if (values.torch_addresses == nullptr) return;
  wanted.add(read::Variable::torch_tpu_topology, values.torch_topology.view());
  wanted.add(read::Variable::torch_tpu_slicebuilder_addresses, *values.torch_addresses);
}

}  // namespace

void WantedEnv::add_number(read::Variable variable, std::uint32_t number) {
  char* at = digits.data() + digits_used;
  char* end = at + 1;
  if (number < 10)
    *at = static_cast<char>('0' + number);
  else
    end = std::to_chars(at, digits.data() + digits.size(), number).ptr;
  digits_used = static_cast<std::size_t>(end - digits.data());
  add(variable, {at, static_cast<std::size_t>(end - at)});
}

void ContainerEnvs::want(const facts::Facts& facts, const EnvValues& values) {
  const facts::Shape& shape = *facts.shape;
  envs_.clear();
  wanted_.resize(std::max(wanted_.size(), shape.processes.size() + shape.init.size()));
  const auto add = [&](const read::Container& container, std::uint32_t process) {
    envs_.push_back({facts, container, process, wanted_[envs_.size()], values.ports});
    want_all(envs_.back(), values);
  };
  for (std::uint32_t i = 0; i < shape.processes.size(); ++i) add(*shape.processes[i], i);
  // An init container runs before the processes and is none of them; with one
  // process a host it stands in its place.
  if (shape.processes.size() != 1) return;
  for (const read::Container* init : shape.init)
    if (init->chips() == shape.processes.front()->chips()) add(*init, 0);
}

}  // namespace tpuwh::webhook::env
