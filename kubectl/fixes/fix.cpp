#include "kubectl/fixes/fix.hpp"

#include "base/names.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tpuwh::server::fixes {

namespace {

// From the outside to the inside.
std::vector<std::string> tokens(Path path) {
  std::vector<std::string> out;
  for (; !path.empty(); path.pop_back()) out.push_back(path.back());
  std::ranges::reverse(out);
  return out;
}

std::optional<std::size_t> index_in(const Json& list, const std::string& token) {
  const auto number = base::plain_decimal(token);
  if (!list.is_array() || !number || *number >= list.size()) return std::nullopt;
  return *number;
}

// What stands under a step; null where nothing does.
Json* under(Json& value, const std::string& token) {
  if (const auto index = index_in(value, token)) return &value[*index];
  if (!value.is_object()) return nullptr;
  const auto found = value.find(token);
  return found == value.end() ? nullptr : &*found;
}

// A text as it is; one that would read as a number or as nothing, in quotes.
std::string spoken_value(const Json& value) {
  if (!value.is_string()) return text::dump_json(value);
  const auto& string = value.get_ref<const std::string&>();
  const bool plain = !string.empty() && text::parse_or_discard(string).is_discarded();
  return plain ? base::printable(string, 100) : text::dump_json(value);
}

std::string whose(const Edit& edit) {
  if (!edit.object) return {};
  return fmt::format(" of {} {}", edit.object->kind, base::printable(edit.object->name));
}

std::string words_of(const Step& step) {
  if (const auto* command = std::get_if<Command>(&step))
    return fmt::format("{} {}, if the cluster has none", name(command->verb()), command->object());
  const Edit& edit = std::get<Edit>(step);
  if (edit.value)
    return fmt::format("set {}{} to {}", spoken(edit.path), whose(edit), spoken_value(*edit.value));
  return fmt::format("remove {}{}{}", spoken(edit.path), whose(edit),
                     edit.what.empty() ? "" : " (" + base::printable(edit.what, 100) + ")");
}

Json json_of(const Edit& edit) {
  Json out;
  if (edit.object)
    out["object"] = {
        {"kind", edit.object->kind}, {"namespace", edit.object->ns}, {"name", edit.object->name}};
  out["path"] = edit.path.to_string();
  if (edit.value)
    out["value"] = *edit.value;
  else
    out["remove"] = true;
  return out;
}

bool remove_from(Json& holder, const std::string& token) {
  if (const auto index = index_in(holder, token)) {
    holder.erase(*index);
    return true;
  }
  return holder.is_object() && holder.erase(token) > 0;
}

bool set_in(Json& holder, const std::string& token, const Json& value) {
  if (const auto index = index_in(holder, token)) {
    holder[*index] = value;
    return true;
  }
  if (!holder.is_object()) return false;
  holder[token] = value;
  return true;
}

}  // namespace

std::string spoken(const Path& path) {
  std::string out;
  for (const std::string& token : tokens(path)) {
    const bool index = base::plain_decimal(token).has_value();
    const bool plain = token.find_first_of("./") == std::string::npos;
    if (index)
      out += fmt::format("[{}]", token);
    else if (plain)
      out += (out.empty() ? "" : ".") + base::printable(token, 100);
    else
      out += fmt::format("[\"{}\"]", base::printable(token, 100));
  }
  return out;
}

std::string words(const Fix& fix) {
  if (const auto* choice = std::get_if<Choice>(&fix)) return choice->sentence;
  std::vector<std::string> parts;
  for (const Step& step : std::get<Steps>(fix)) parts.push_back(words_of(step));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> commands(const Fix& fix) {
  std::vector<std::string> out;
  if (const auto* steps = std::get_if<Steps>(&fix))
    for (const Step& step : *steps)
      if (const auto* command = std::get_if<Command>(&step)) out.push_back(command->text());
  return out;
}

Json json(const Fix& fix) {
  if (const auto* choice = std::get_if<Choice>(&fix)) return {{"choice", choice->sentence}};
  Json edits = Json::array(), commands = Json::array();
  for (const Step& step : std::get<Steps>(fix))
    if (const auto* edit = std::get_if<Edit>(&step))
      edits.push_back(json_of(*edit));
    else
      commands.push_back(json(std::get<Command>(step)));
  return {{"edits", std::move(edits)}, {"commands", std::move(commands)}};
}

bool apply(const Edit& edit, Json& object) {
  const std::vector<std::string> steps = tokens(edit.path);
  if (steps.empty()) return false;
  Json* holder = &object;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    Json* next = under(*holder, steps[i]);
    const bool missing = next == nullptr || next->is_null();
    if (missing && (!edit.value || !holder->is_object())) return false;
    if (missing) next = &((*holder)[steps[i]] = Json::object());
    holder = next;
  }
  return edit.value ? set_in(*holder, steps.back(), *edit.value)
                    : remove_from(*holder, steps.back());
}

}  // namespace tpuwh::server::fixes
