// Which variables a container should have, and with which values.
#pragma once

#include "webhook/env/values.hpp"
#include "webhook/facts/facts.hpp"
#include "webhook/write/shared_text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::env {

// One variable as it should be. Of TPU_DEVICE_PLUGIN_HOST_IP the value is the
// field path.
struct WantedVariable {
  read::Variable variable;
  std::string_view value;
  const write::SharedText* shared = nullptr;  // holds the value, where it is a list of the slice's
};

// The state of an entry of a container's env, compared with the value that we would write.
enum class State : std::uint8_t {
  ours,
  agrees,            // the user's entry, which fits the rest of its set
  platform_default,  // default of a platform that did not know the slice; ours replaces it
  contradicts,
  empty,
  elsewhere,  // a value that only the kubelet knows: valueFrom, "$(NAME)"
};

// In the order in which they are inserted.
struct WantedEnv {
  std::array<WantedVariable, read::variable_count> variables;
  std::size_t count = 0;
  std::array<char, 64> digits;  // holds numbers
  std::size_t digits_used = 0;
  // Each is asked for several times for each container.
  std::array<const WantedVariable*, read::variable_count> by_variable{};
  // The state of each entry that the container has, set by settle_sets().
  std::array<State, read::variable_count> states;

  void clear() {
    count = digits_used = 0;
    by_variable = {};
  }
  void add(read::Variable variable, std::string_view value) { add({variable, value}); }
  void add(read::Variable variable, const write::SharedText& list) {
    add({variable, list.value(), &list});
  }
  void add_number(read::Variable variable, std::uint32_t number);
  const WantedVariable* find(read::Variable variable) const {
    return by_variable[static_cast<std::size_t>(variable)];
  }

 private:
  void add(const WantedVariable& wanted) {
    variables[count] = wanted;
    by_variable[static_cast<std::size_t>(wanted.variable)] = &variables[count++];
  }
};

// One TPU container: what is there, and what should be.
struct ContainerEnv {
  const facts::Facts& facts;
  const read::Container& container;
  std::uint32_t process;  // whose values it gets; an init container those of process 0
  WantedEnv& wanted;
  const ProcessPorts& ports;  // ports of all processes of the Pod
};

// The TPU containers of a Pod, each with what it should have.
class ContainerEnvs {
 public:
  // Fills them. Views into `values`.
  void want(const facts::Facts& facts, const EnvValues& values);
  void clear() { envs_.clear(); }
  auto begin() const { return envs_.begin(); }
  auto end() const { return envs_.end(); }

 private:
  std::vector<ContainerEnv> envs_;
  std::vector<WantedEnv> wanted_;  // reused
};

}  // namespace tpuwh::webhook::env
