#include "kubectl/settings/schema.hpp"

#include "server/settings/table.hpp"
#include "server/text/json_text.hpp"
#include "webhook/findings/finding.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tpuwh::server::settings {

namespace {

constexpr std::string_view address_pattern = R"(((\[[0-9A-Fa-f:.]+\]|[0-9.]*):[0-9]{1,5}))";
constexpr std::string_view duration_pattern =
    R"((0|(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|ms|s|m|h))+))";
constexpr std::string_view domain_pattern =
    R"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)";

Json text_schema(const Setting& setting, const Json& standard) {
  Json out;
  if (setting.type_name == "ADDR:PORT")
    out["pattern"] = fmt::format("^{}{}$", address_pattern, standard == "" ? "?" : "");
  if (setting.type_name == "DURATION") out["pattern"] = fmt::format("^{}$", duration_pattern);
  if (setting.type_name == "DOMAIN") {
    out["pattern"] = fmt::format("^{}$", domain_pattern);
    out["maxLength"] = 253;
  }
  out["type"] = "string";
  if (!setting.names.empty()) out["enum"] = setting.names;
  return out;
}

Json levels_schema() {
  Json ids = Json::array();
  for (const webhook::findings::Row& row : webhook::findings::table()) ids.push_back(row.id);
  return {{"type", "object"},
          {"propertyNames", {{"enum", ids}}},
          // Helm, as YAML 1.1 has it, makes false of off.
          {"additionalProperties", {{"enum", {"deny", "warn", "off", false}}}}};
}

Json value_schema(const Setting& setting, const Json& standard) {
  switch (setting.shape) {
    case Shape::boolean:
      return {{"type", "boolean"}};
    case Shape::integer:
      return {{"type", "integer"}, {"minimum", setting.least}, {"maximum", setting.most}};
    case Shape::list:
      return {{"type", "array"},
              {"minItems", 1},
              {"items", setting.names.empty() ? Json{{"type", "string"}, {"minLength", 1}}
                                              : Json{{"enum", setting.names}}}};
    case Shape::levels:
      return levels_schema();
    case Shape::text:
      break;
  }
  return text_schema(setting, standard);
}

Json leaf(const Setting& setting) {
  const Json standard = setting.get(ServeOptions());
  Json out = {{"description", setting.help}};
  out.update(value_schema(setting, standard));
  if (!standard.is_null() && setting.key.find('*') == std::string::npos) out["default"] = standard;
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
