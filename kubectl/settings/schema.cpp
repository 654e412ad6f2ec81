#include "kubectl/settings/schema.hpp"

#include "server/settings/table.hpp"
#include "server/text/json.hpp"

namespace tpuwh::server::settings {

namespace {

Json leaf(const Setting& setting) {
  Json out = {{"description", setting.help}};
  out.update(setting.schema);
  if (const Json standard = setting.get(ServeOptions());
      !standard.is_null() && setting.key.find('*') == std::string::npos)
    out["default"] = standard;
  return out;
}

Json object(const KeyTree& tree) {
  if (tree.setting != nullptr) return leaf(*tree.setting);
  Json out = {{"type", {"object", "null"}}};
  for (const KeyTree& child : tree.children) {
    if (child.name != "*") {
      out["properties"][child.name] = object(child);
      continue;
    }
    out["propertyNames"] = {{"pattern", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}, {"maxLength", 63}};
    out["additionalProperties"] = object(child);
    return out;
  }
  out["additionalProperties"] = false;
  return out;
}

}  // namespace

Json config_schema() {
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "Configuration file of tpu-webhook"}};
  out.update(object(key_tree()));
  out["properties"]["$schema"] = {{"description", "Where this schema is, for editors"},
                                  {"type", "string"}};
  return out;
}

}  // namespace tpuwh::server::settings
