#include "kubectl/predict/network/member_ports.hpp"

#include "base/names.hpp"
#include "kubectl/inspect/slices/env_entries.hpp"
#include "kubectl/objects/object.hpp"
#include "server/text/json_text.hpp"
#include "webhook/read/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace tpuwh::server::network {

namespace {

using slices::EnvValue;
using slices::TpuProcess;
using webhook::read::Variable;

constexpr std::uint32_t libtpu_port = 8471, megascale_port = 8080, largest_port = 65535;
// Of JAX 0.10 and later, and of those before.
constexpr std::array<std::uint32_t, 2> jax_ports{8482, 8476};

std::optional<std::uint32_t> port_of(std::string_view text) {
  const auto number = base::plain_decimal(text);
  return number && *number > 0 && *number <= largest_port ? number : std::nullopt;
}

// Behind the last colon of an address.
std::optional<std::uint32_t> port_in(std::string_view address) {
  const auto colon = address.rfind(':');
  return colon == std::string_view::npos ? std::nullopt : port_of(address.substr(colon + 1));
}

bool is_set(const EnvValue& value) {
  return value.kind == EnvValue::Kind::unknown || (value.literal() && !value.text.empty());
}

class Reader {
 public:
  Reader(MemberPorts& out, bool lists) : out_(out), lists_(lists) {}

  void slice(const TpuProcess& process) {
    if (is_set(process[Variable::tpu_process_addresses_path]))
      out_.not_known.insert("TPU_PROCESS_ADDRESSES_PATH");
    if (is_set(process[Variable::tpu_process_addresses]))
      list(process, Variable::tpu_process_addresses);
    else if (is_set(process[Variable::tpu_process_port]))
      port(process, Variable::tpu_process_port, Among::slice);
    else
      add(libtpu_port, "libtpu's default", Among::slice);
    if (is_set(process[Variable::torch_tpu_slicebuilder_addresses]))
      list(process, Variable::torch_tpu_slicebuilder_addresses);
  }

  void megascale(const TpuProcess& process) {
    if (is_set(process[Variable::megascale_port]))
      port(process, Variable::megascale_port, Among::job);
    else
      add(megascale_port, "MegaScale's default", Among::job);
    const EnvValue& coordinator = process[Variable::megascale_coordinator_address];
    if (const auto found = coordinator.literal() ? port_in(coordinator.text) : std::nullopt)
      add(*found, "MEGASCALE_COORDINATOR_ADDRESS", Among::job);
  }

  // A container that sets one of the two has JAX listen there.
  void jax(const Json& container) {
    const Json* address = slices::env_entry(container, "JAX_COORDINATOR_ADDRESS");
    const Json* number = slices::env_entry(container, "JAX_COORDINATOR_PORT");
    const auto found = address != nullptr  ? port_in(text::text_member(*address, "value"))
                       : number != nullptr ? port_of(text::text_member(*number, "value"))
                                           : std::nullopt;
    if (found)
      add(*found, address != nullptr ? "JAX_COORDINATOR_ADDRESS" : "JAX_COORDINATOR_PORT",
          Among::jax);
    else if (address != nullptr || number != nullptr)
      out_.not_known.insert("JAX_COORDINATOR_ADDRESS");
    else
      for (const std::uint32_t each : jax_ports) add(each, "JAX's coordinator", Among::jax);
  }

 private:
  void add(std::uint32_t port, std::string of, Among among) {
    PortUse& use = out_.ports.try_emplace(port, PortUse{of, among}).first->second;
    if (among < use.among) use = {std::move(of), among};
  }

  void port(const TpuProcess& process, Variable variable, Among among) {
    const std::string name(webhook::read::name(variable));
    const EnvValue& value = process[variable];
    const auto found = value.literal() ? port_of(value.text) : std::nullopt;
    if (found)
      add(*found, name, among);
    else
      out_.not_known.insert(name);
  }

  void list(const TpuProcess& process, Variable variable) {
    const std::string name(webhook::read::name(variable));
    const EnvValue& value = process[variable];
    if (!value.literal()) {
      out_.not_known.insert(name);
      return;
    }
    if (!lists_) return;
    for (std::string_view rest = value.text; !rest.empty();) {
      const std::string_view address = rest.substr(0, rest.find(','));
      if (const auto found = port_in(address)) add(*found, name, Among::slice);
      rest.remove_prefix(std::min(address.size() + 1, rest.size()));
    }
  }

  MemberPorts& out_;
  const bool lists_;
};

}  // namespace

bool is_of_several_slices(const slices::SeenPod& seen) {
  return std::ranges::any_of(seen.processes, [](const TpuProcess& process) {
    const EnvValue& count = process[Variable::megascale_num_slices];
    return count.literal() && base::plain_decimal(count.text).value_or(0) > 1;
  });
}

void MemberPorts::add(const Json& pod, const slices::SeenPod& seen, bool lists) {
  Reader reader(*this, lists);
  const bool several = is_of_several_slices(seen);
  for (const TpuProcess& process : seen.processes) {
    if (seen.multi_host()) reader.slice(process);
    if (several) reader.megascale(process);
  }
  if (!lists) return;
  const Json& containers = objects::at(pod, {"spec", "containers"});
  for (const TpuProcess& process : seen.processes)
    for (const Json& container : containers)
      if (text::text_member(container, "name") == process.container) reader.jax(container);
}

}  // namespace tpuwh::server::network
