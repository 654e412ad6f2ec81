#include "server/cli/setting_flags.hpp"

#include "base/names.hpp"
#include "server/settings/table.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace tpuwh::server::cli {

namespace {

using settings::Layers;
using settings::Setting;
using settings::Shape;

// "a,b"
Json items(const std::string& text) {
  Json out = Json::array();
  for (std::string_view rest = text;;) {
    const auto item = rest.substr(0, rest.find(','));
    out.push_back(item);
    if (item.size() == rest.size()) return out;
    rest.remove_prefix(item.size() + 1);
  }
}

Json from_text(Shape shape, const std::string& text) {
  if (shape == Shape::list) return items(text);
  if (shape == Shape::integer)
    if (const auto number = base::plain_decimal(text)) return *number;
  return text;
}

std::string to_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return text::dump_or_throw(value);
  return fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), ","));
}

void give(Layers& layers, const Setting& setting, Json value) {
  settings::ServeOptions scratch;
  if (auto wrong = setting.set(scratch, {}, value); !wrong.empty())
    throw CLI::ValidationError(setting.flag, wrong);
  layers.flags.push_back({&setting, {}, std::move(value), setting.flag});
}

void add_switch(CLI::App& command, const Setting& setting, Layers& layers) {
  const std::string names =
      setting.negation.empty() ? setting.flag : setting.flag + ",!" + setting.negation;
  const auto take = [&setting, &layers](std::int64_t count) {
    give(layers, setting, count > 0);
    if (count <= 0 && !setting.negation.empty()) layers.flags.back().from = setting.negation;
  };
  command.add_flag_function(names, take, setting.help);
}

void add_value(CLI::App& command, const Setting& setting, Layers& layers) {
  const bool list = setting.shape == Shape::list;
  const auto take = [&setting, &layers](const std::vector<std::string>& texts) {
    Json value = from_text(setting.shape, texts.front());
    for (std::size_t i = 1; i < texts.size(); ++i)
      for (Json& item : items(texts[i])) value.push_back(std::move(item));
    give(layers, setting, std::move(value));
  };
  auto* option =
      command.add_option_function<std::vector<std::string>>(setting.flag, take, setting.help);
  // One value for each time that the flag is given: what follows is another argument.
  option->expected(1)->type_size(1)->allow_extra_args(false)->type_name(setting.type_name);
  option->multi_option_policy(list ? CLI::MultiOptionPolicy::TakeAll
                                   : CLI::MultiOptionPolicy::Throw);
  if (const auto standard = to_text(setting.get(settings::ServeOptions())); !standard.empty())
    option->default_str(standard);
}

}  // namespace

std::shared_ptr<const settings::Layers> add_setting_flags(CLI::App& command,
                                                          settings::Scope scope,
                                                          settings::ParseConfig* parse) {
  auto layers = std::make_shared<Layers>();
  layers->parse = parse;
  command.add_option("--config", layers->file, "Configuration file, read once; flags override it")
      ->type_name("FILE");
  for (const Setting& setting : settings::settings()) {
    if (setting.flag.empty() || setting.scope > scope) continue;
    if (setting.shape == Shape::boolean)
      add_switch(command, setting, *layers);
    else
      add_value(command, setting, *layers);
  }
  return layers;
}

}  // namespace tpuwh::server::cli
