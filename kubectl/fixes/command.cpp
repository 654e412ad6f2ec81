#include "kubectl/fixes/command.hpp"

#include "kubectl/text/yaml.hpp"
#include "server/text/json_text.hpp"
#include "server/text/visible.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

namespace tpuwh::server::fixes {

namespace {

using print::ShellCommand;

constexpr std::array verbs{Verb::get,    Verb::describe, Verb::list, Verb::create,
                           Verb::update, Verb::patch,    Verb::edit, Verb::uncordon};

// Where the verb of a gcloud command stands: behind the words of its group.
std::optional<std::pair<Verb, std::size_t>> verb_in(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i)
    for (const Verb verb : verbs)
      if (words[i] == name(verb)) return std::pair(verb, i);
  return std::nullopt;
}

}  // namespace

const char* name(Verb verb) {
  switch (verb) {
    case Verb::get:
      return "get";
    case Verb::describe:
      return "describe";
    case Verb::list:
      return "list";
    case Verb::create:
      return "create";
    case Verb::update:
      return "update";
    case Verb::patch:
      return "patch";
    case Verb::edit:
      return "edit";
    case Verb::uncordon:
      break;
  }
  return "uncordon";
}

Command Command::kubectl(Verb verb, std::string_view ns) {
  Command out(verb);
  ShellCommand text("kubectl");
  if (!ns.empty()) {
    text.words("-n").name(ns);
    out.arguments_ = {"-n", std::string(ns)};
  }
  out.text_ = text.text();
  if (!out.text_.empty()) out.text_ += fmt::format(" {}", fixes::name(verb));
  return out;
}

// Once there is no command there is none.
void Command::add(const ShellCommand& more) {
  constexpr std::string_view program = "kubectl ";
  if (more.text().empty())
    text_.clear();
  else if (!text_.empty())
    text_.append(" ").append(std::string_view(more.text()).substr(program.size()));
}

Command& Command::of(std::string_view kind, std::string_view object) {
  ShellCommand text("kubectl");
  if (!kind.empty()) text.name(kind);
  add(text.name(object));
  object_ = kind.empty() ? std::string(object) : fmt::format("{} {}", kind, object);
  return *this;
}

Command& Command::of(text::Literal kind) {
  add(ShellCommand("kubectl").words(kind));
  object_ = kind.text();
  return *this;
}

Command& Command::words(text::Literal more) {
  add(ShellCommand("kubectl").words(more));
  arguments_.emplace_back(more.text());
  return *this;
}

Command& Command::arg(std::string_view more) {
  add(ShellCommand("kubectl").arg(more));
  arguments_.emplace_back(more);
  return *this;
}

Command& Command::name(text::Literal before, std::string_view more) {
  add(ShellCommand("kubectl").name(before, more));
  arguments_.push_back(std::string(before.text()).append(more));
  return *this;
}

Command Command::create(Json object) {
  Command out(Verb::create);
  const auto& metadata = text::member(object, "metadata");
  out.object_ =
      fmt::format("{} {}", text::text_member(object, "kind"), text::text_member(metadata, "name"));
  out.arguments_ = {"-f", "-"};
  const std::string yaml = text::to_yaml(object);
  // No here-document: it is printed behind blanks, and pasted with them its end would be none.
  if (text::visible(yaml, true) == yaml)
    out.text_ =
        fmt::format("printf '%s\\n' {} | kubectl create -f -", print::shell_word("\n" + yaml));
  out.made_ = std::move(object);
  return out;
}

Command Command::gcloud(const catalog::GcloudCommand& command) {
  const auto found = verb_in(command.words);
  Command out(found ? found->first : Verb::list);
  if (!found) return out;
  const std::size_t at = found->second;
  const auto& words = command.words;
  const bool named = at + 1 < words.size() && !words[at + 1].starts_with("--");
  out.object_ = words[at - 1] + (named ? " " + words[at + 1] : "");
  const auto rest = static_cast<std::ptrdiff_t>(at + (named ? 2 : 1));
  out.arguments_.assign(words.begin() + rest, words.end());
  out.text_ = command.text();
  return out;
}

Json json(const Command& command) {
  return {{"verb", name(command.verb())},
          {"object", command.object()},
          {"arguments", command.arguments()},
          {"text", command.text()}};
}

}  // namespace tpuwh::server::fixes
