// What a shell offers where somebody presses the tab key. The scripts that `completion SHELL`
// prints ask the program itself, `kubectl-tpu __complete WORD...`, so that they never say another
// thing than it takes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

struct Candidate {
  std::string text;
  std::string what = {};  // in a few words, for shells that show it
};

struct Completion {
  std::vector<Candidate> candidates;
  bool files = false;  // names of files are wanted here
};

// `words`: those behind the program's name up to the one under the cursor, which is the last and
// may be "".
Completion complete(const CLI::App& program, std::span<const std::string> words);

// One candidate a line, its description behind a tab; then ":0" where files may be offered, ":4"
// where not. This is what kubectl reads of a plugin's kubectl_complete-NAME, too.
// source: kubectl pkg/cmd/plugin/plugin_completion.go; cobra ShellCompDirective (read 2026-11)
std::string completion_lines(const Completion& completion);

enum class Shell { bash, zsh, fish };
// `file`: the program's, "kubectl-tpu".
std::string completion_script(Shell shell, std::string_view file);

}  // namespace tpuwh::server::cli
