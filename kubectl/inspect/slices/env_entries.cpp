#include "kubectl/inspect/slices/env_entries.hpp"

#include "server/text/json_text.hpp"

#include <string>

namespace tpuwh::server::slices {

EnvEntries env_entries(const Json& container) {
  EnvEntries out{};
  const Json& env = text::member(container, "env");
  if (!env.is_array()) return out;
  for (const Json& entry : env) {
    const Json* name = text::find_member(entry, "name");
    if (name == nullptr || !name->is_string()) continue;
    if (const auto which = webhook::read::find_variable(name->get_ref<const std::string&>()))
      out[static_cast<std::size_t>(*which)] = &entry;
  }
  return out;
}

const Json* env_entry(const Json& container, std::string_view name) {
  const Json* last = nullptr;
  for (const Json& each : text::member(container, "env"))
    if (text::text_member(each, "name") == name) last = &each;
  return last;
}

}  // namespace tpuwh::server::slices
