#include "server/tools/inspect/slices/env_entries.hpp"

#include "server/text/json_text.hpp"

#include <string>

namespace tpuwh::server::slices {

EnvEntries env_entries(const nlohmann::ordered_json& container) {
  EnvEntries out{};
  const nlohmann::ordered_json& env = text::member(container, "env");
  if (!env.is_array()) return out;
  for (const nlohmann::ordered_json& entry : env) {
    const nlohmann::ordered_json* name = text::find_member(entry, "name");
    if (name == nullptr || !name->is_string()) continue;
    if (const auto which = webhook::read::find_variable(name->get_ref<const std::string&>()))
      out[static_cast<std::size_t>(*which)] = &entry;
  }
  return out;
}

const nlohmann::ordered_json* env_entry(const nlohmann::ordered_json& container,
                                        std::string_view name) {
  const nlohmann::ordered_json* last = nullptr;
  for (const nlohmann::ordered_json& each : text::member(container, "env"))
    if (text::text_member(each, "name") == name) last = &each;
  return last;
}

}  // namespace tpuwh::server::slices
