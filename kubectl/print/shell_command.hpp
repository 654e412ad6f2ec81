// A command that a person pastes into a shell. Names in it come from a cluster and from manifests:
// each is one argument, quoted where a shell would read it otherwise, and where no quoting helps
// there is no command.
#pragma once

#include "kubectl/text/literal.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::print {

class ShellCommand {
 public:
  // The program, its verb, its flags, a pipe: as they stand.
  explicit ShellCommand(text::Literal words) : text_(words.text()) {}
  ShellCommand& words(text::Literal more);

  // One argument more: POSIX shells take it apart nowhere. No command where it is empty, would be
  // read as a flag, or holds what cannot be seen.
  ShellCommand& arg(std::string_view text);
  // The same with our own beginning, "--field-selector=involvedObject.name=".
  ShellCommand& arg(text::Literal before, std::string_view text);
  // A name, kind or label value of Kubernetes, which kubectl would take apart at other characters
  // (","), and none that exists has: no command where it is none.
  ShellCommand& name(std::string_view text);
  ShellCommand& name(text::Literal before, std::string_view text);

  // "" where there is no command.
  const std::string& text() const { return text_; }

 private:
  void add(std::string_view argument);

  std::string text_;
};

// `text` as one word of a POSIX shell: as it is where no shell reads it as anything else, in quotes
// otherwise, "''" for nothing.
std::string shell_word(std::string_view text);

// Letters, digits, "-", "_" and "." in it: a name, a kind, a label value.
bool is_plain_name(std::string_view text);

}  // namespace tpuwh::server::print
