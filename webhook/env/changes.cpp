#include "webhook/env/changes.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tpuwh::webhook::env {

namespace {

// {"name":"TPU_NAME" and so on: all of an entry in front of its value, put together while
// compiling.
template <std::size_t variable>
constexpr auto entry_text = [] {
  constexpr std::string_view begin = "{\"name\":\"", name = read::variable_names[variable];
  constexpr std::size_t size = begin.size() + name.size() + 2;
  struct {
    char text[size] = {};
  } made;
  char* at = std::ranges::copy(begin, made.text).out;
  *std::ranges::copy(name, at).out = '"';
  return made;
}();
constexpr auto entry_texts = []<std::size_t... variables>(std::index_sequence<variables...>) {
  return std::array{write::JsonLiteral(entry_text<variables>.text)...};
}
(std::make_index_sequence<read::variable_count>());

class EntryWriter {
 public:
  EntryWriter(const ContainerEnv& env, write::Patch& patch) : env_(env), patch_(patch) {}

  void replace(const read::EnvEntry& entry, const WantedVariable& want) {
    patch_.begin(write::PatchOp::replace,
                 row(write::Surface::env_value, write::Surface::init_env_value),
                 env_.container.index, entry.index);
    append_value(want);
    patch_.end();
  }

  void remove(std::uint32_t index) {
    patch_.begin(write::PatchOp::remove,
                 row(write::Surface::env_gone, write::Surface::init_env_gone), env_.container.index,
                 index);
    patch_.end();
  }

  void insert(const WantedVariable& variable, std::uint32_t at) {
    patch_.begin(write::PatchOp::add,
                 row(write::Surface::env_entry, write::Surface::init_env_entry),
                 env_.container.index, at);
    append_entry(variable);
    patch_.end();
  }

  void make_list(const FewOf<const WantedVariable*>& variables) {
    patch_.begin(write::PatchOp::add, row(write::Surface::env, write::Surface::init_env),
                 env_.container.index);
    patch_.json() << "[";
    for (const WantedVariable* variable : variables) {
      if (variable != *variables.begin()) patch_.json() << ",";
      append_entry(*variable);
    }
    patch_.json() << "]";
    patch_.end();
  }

 private:
  write::Surface row(write::Surface main, write::Surface init) const {
    return env_.container.init ? init : main;
  }

  void append_value(const WantedVariable& want) {
    if (want.shared != nullptr)
      patch_.append(*want.shared);
    else
      patch_.json() << write::as_string(want.value);
  }

  void append_entry(const WantedVariable& variable) {
    write::Json& out = patch_.json();
    out << entry_texts[static_cast<std::size_t>(variable.variable)];
    if (variable.variable == read::Variable::tpu_device_plugin_host_ip) {
      out << ",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":" << write::as_string(variable.value)
          << "}}}";
      return;
    }
    out << ",\"value\":";
    append_value(variable);
    out << "}";
  }

  const ContainerEnv& env_;
  write::Patch& patch_;
};

// In front of the user's, but for an address behind the host IP that is there:
// $(NAME) is expanded from what stands before it only.
void insert_missing(const ContainerEnv& env, const EnvChanges& changes, EntryWriter& writer) {
  const read::EnvEntry* host_ip =
      env.facts.pod->entry(env.container, read::Variable::tpu_device_plugin_host_ip);
  const WantedVariable* address = nullptr;
  std::uint32_t front = 0;
  for (const WantedVariable* missing : changes.missing) {
    if (missing->variable == read::Variable::tpu_device_plugin_addr && host_ip != nullptr)
      address = missing;
    else
      writer.insert(*missing, front++);
  }
  if (address == nullptr) return;
  const auto gone_before = static_cast<std::uint32_t>(std::ranges::count_if(
      changes.removed, [&](std::uint32_t index) { return index < host_ip->index; }));
  writer.insert(*address, host_ip->index - gone_before + front + 1);
}

}  // namespace

void write_changes(const ContainerEnv& env, const EnvChanges& changes, write::Patch& patch) {
  EntryWriter writer(env, patch);
  for (const EnvChanges::Replaced& replaced : changes.replaced)
    writer.replace(*replaced.entry, *replaced.by);
  for (const std::uint32_t index : changes.removed) writer.remove(index);
  if (changes.missing.empty()) return;
  if (env.container.env == read::Presence::absent) return writer.make_list(changes.missing);
  insert_missing(env, changes, writer);
}

}  // namespace tpuwh::webhook::env
