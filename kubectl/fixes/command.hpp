// A command that a person pastes: a verb, what it is done to, and arguments.
//
// Verbs are those of this list, and there is none that deletes, drains, evicts, restarts or scales:
// nothing that is found can print one, whatever it is of.
#pragma once

#include "kubectl/print/shell_command.hpp"
#include "kubectl/reference/catalog/gcloud.hpp"
#include "kubectl/text/literal.hpp"
#include "server/text/json_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::fixes {

enum class Verb {
  get,       // looks
  describe,  // looks
  list,      // looks
  create,    // makes what is not there
  update,    // switches a part of the platform on
  patch,     // changes a field of an object
  edit,      // opens an object in an editor
  uncordon,  // lets Pods come to a node
};
const char* name(Verb verb);

class Command {
 public:
  // kubectl VERB in a namespace or, where that is "", in none. Text of others goes through
  // print::ShellCommand, with its rules: where a name is none there is no command.
  static Command kubectl(Verb verb, std::string_view ns = {});
  // kind: "" where the verb says it
  Command& of(std::string_view kind, std::string_view object);
  Command& of(text::Literal kind);
  Command& words(text::Literal more);
  Command& arg(std::string_view more);
  Command& name(text::Literal before, std::string_view more);

  // kubectl create of an object, as YAML in the command itself: where there is one of the name, it
  // stays as it is.
  static Command create(Json object);
  static Command gcloud(const catalog::GcloudCommand& command);

  Verb verb() const { return verb_; }
  // "service train"; "" where it is of many
  const std::string& object() const { return object_; }
  // What stands behind the object, word by word as the shell gives them to the program; variables
  // of the shell as they are.
  const std::vector<std::string>& arguments() const { return arguments_; }
  // What create() makes; null elsewhere.
  const Json& made() const { return made_; }
  // For a POSIX shell; "" where there is no command.
  const std::string& text() const { return text_; }
  bool operator==(const Command&) const = default;

 private:
  explicit Command(Verb verb) : verb_(verb) {}
  void add(const print::ShellCommand& more);

  Verb verb_;
  std::string object_, text_;
  std::vector<std::string> arguments_;
  Json made_;
};

// {"verb": "create", "object": "service train", "arguments": ["-n", "ml"], "text": "kubectl …"}
Json json(const Command& command);

}  // namespace tpuwh::server::fixes
