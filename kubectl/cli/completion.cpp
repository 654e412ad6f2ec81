#include "kubectl/cli/completion.hpp"

#include "base/edits.hpp"
#include "base/enum_names.hpp"
#include "kubectl/cli/choices.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr std::string_view program_file = "kubectl-tpu";
// The name by which kubectl calls the program to complete `kubectl tpu`.
constexpr std::string_view file_of_kubectl = "kubectl_complete-tpu";

constexpr auto completion_example = R"(
The script asks the program for the words that may follow. For `kubectl tpu`, kubectl 1.26 or
later asks the program kubectl_complete-tpu: a link to kubectl-tpu with this name.

Examples:
  source <(kubectl-tpu completion bash)
  kubectl-tpu completion bash > /etc/bash_completion.d/kubectl-tpu
  kubectl-tpu completion zsh > "${fpath[1]}/_kubectl-tpu"
  kubectl-tpu completion fish > ~/.config/fish/completions/kubectl-tpu.fish)";

// PROGRAM is its file, FUNCTION the same as a shell can name one.
constexpr auto bash_script = R"(# bash: source <(PROGRAM completion bash)
_FUNCTION() {
  local line directive
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) directive=$line ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $directive == :0 ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _FUNCTION PROGRAM
)";

constexpr auto zsh_script = R"(#compdef PROGRAM
# zsh: source <(PROGRAM completion zsh), or a file _PROGRAM in a folder of $fpath
_FUNCTION() {
  local -a candidates
  local line directive
  while IFS= read -r line; do
    case $line in
      :*) directive=$line ;;
      *$'\t'*) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *) candidates+=("${line//:/\\:}") ;;
    esac
  done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ${#candidates} )); then
    _describe PROGRAM candidates
  elif [[ $directive == :0 ]]; then
    _files
  fi
}
if [[ $funcstack[1] == _FUNCTION ]]; then
  _FUNCTION "$@"
else
  compdef _FUNCTION PROGRAM
fi
)";

constexpr auto fish_script = R"(# fish: PROGRAM completion fish | source
function __FUNCTION_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    set -l lines ($before[1] __complete $before[2..-1] "$word" 2>/dev/null)
    if test "$lines[-1]" = ":0"
        __fish_complete_path "$word"
    end
    for line in $lines
        if not string match -q ':*' -- $line
            echo $line
        end
    end
end
complete -c PROGRAM -f -a '(__FUNCTION_complete)'
)";

struct Candidate {
  std::string text;
  std::string what = {};  // in a few words, for shells that show it
};

struct Completion {
  std::vector<Candidate> candidates;
  bool files = false;  // names of files are wanted here
};

const CLI::App* subcommand(const CLI::App& app, const std::string& name) {
  const auto all = app.get_subcommands({});
  const auto found = std::ranges::find(all, name, [](const CLI::App* a) { return a->get_name(); });
  return found == all.end() ? nullptr : *found;
}

const CLI::Option* option_of(const CLI::App& app, const std::string& name) {
  return name.starts_with('-') ? app.get_option_no_throw(name) : nullptr;
}

bool takes_value(const CLI::Option* option) {
  return option != nullptr && option->get_expected_max() > 0;
}

void add_values(const CLI::Option& option, const std::string& before, const std::string& typed,
                Completion& out) {
  const std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) {
    // FILE, SNAPSHOT.json; a positional argument FILE has no type of its own.
    const std::string kind = type + option.get_name(true, false);
    out.files = kind.find("FILE") != std::string::npos || kind.find(".json") != std::string::npos;
    return;
  }
  for (std::string_view rest = type; !rest.empty();) {
    const std::string value(rest.substr(0, rest.find('|')));
    if (value.starts_with(typed)) out.candidates.push_back({before + value});
    rest.remove_prefix(std::min(rest.size(), value.size() + 1));
  }
}

void add_options(const CLI::App& app, const std::string& typed, Completion& out) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames())
      if (("--" + name).starts_with(typed))
        out.candidates.push_back({"--" + name, option->get_description()});
  }
}

void add_commands(const CLI::App& app, const std::string& typed, Completion& out) {
  for (const CLI::App* each : app.get_subcommands({}))
    if (each->get_name().starts_with(typed))
      out.candidates.push_back({each->get_name(), each->get_description()});
}

// The argument number `index`; the last one where it takes any number.
const CLI::Option* argument(const CLI::App& app, std::size_t index) {
  const auto all = app.get_options([](const CLI::Option* each) { return each->get_positional(); });
  if (index < all.size()) return all[index];
  const bool repeated = !all.empty() && all.back()->get_allow_extra_args();
  return repeated ? all.back() : nullptr;
}

// Where the words before the cursor have led.
struct Position {
  const CLI::App* app;
  const CLI::Option* pending = nullptr;  // an option whose value comes next
  std::size_t arguments = 0;
  bool no_options = false;  // behind "--"
  bool help = false;        // of `help COMMAND`: commands alone
};

void step(const std::string& word, Position& at) {
  if (at.pending != nullptr) {
    if (word != "=") at.pending = nullptr;  // bash takes "--a=b" for three words
    return;
  }
  if (at.no_options || !word.starts_with('-') || word == "-") {
    const CLI::App* next = at.arguments == 0 ? subcommand(*at.app, word) : nullptr;
    if (next == nullptr)
      ++at.arguments;
    else if (next->get_name() == "help" && !at.help)
      at.help = true;
    else
      at.app = next;
    return;
  }
  if (word == "--") at.no_options = true;
  if (const CLI::Option* option = option_of(*at.app, word); takes_value(option))
    at.pending = option;
}

// `words`: those behind the program's name up to the one under the cursor, which is the last and
// may be "".
Completion complete(const CLI::App& program, std::span<const std::string> words) {
  Completion out;
  Position at{&program};
  if (words.empty()) return out;
  for (const std::string& word : words.first(words.size() - 1)) step(word, at);
  const std::string& typed = words.back();
  if (at.help) {
    add_commands(*at.app, typed, out);
    return out;
  }
  if (at.pending != nullptr) {
    add_values(*at.pending, "", typed == "=" ? "" : typed, out);
    return out;
  }
  const auto equals = typed.find('=');
  if (!at.no_options && typed.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = option_of(*at.app, typed.substr(0, equals));
    if (takes_value(option))
      add_values(*option, typed.substr(0, equals + 1), typed.substr(equals + 1), out);
    return out;
  }
  if (!at.no_options && typed.starts_with('-')) {
    add_options(*at.app, typed, out);
    return out;
  }
  add_commands(*at.app, typed, out);
  const CLI::Option* next = argument(*at.app, at.arguments);
  if (next != nullptr) add_values(*next, "", typed, out);
  return out;
}

// One candidate a line, its description behind a tab; then ":0" where files may be offered, ":4"
// where not. This is what kubectl reads of a plugin's kubectl_complete-NAME, too.
// source: kubectl pkg/cmd/plugin/plugin_completion.go; cobra ShellCompDirective (read 2026-11)
std::string completion_lines(const Completion& completion) {
  std::string out;
  for (const Candidate& each : completion.candidates)
    out += each.what.empty() ? each.text + "\n" : fmt::format("{}\t{}\n", each.text, each.what);
  return out + (completion.files ? ":0\n" : ":4\n");
}

enum class Shell { bash, zsh, fish };

constexpr base::EnumNames<Shell::fish> scripts(bash_script, zsh_script, fish_script);

std::string completion_script(Shell shell) {
  std::string function(program_file);
  std::ranges::replace(function, '-', '_');
  std::string script(scripts[shell]);
  base::replace_all(script, "PROGRAM", program_file);
  base::replace_all(script, "FUNCTION", function);
  return script;
}

}  // namespace

void add_completion(CLI::App& program, Command& chosen) {
  auto shell = std::make_shared<std::optional<Shell>>();
  auto* command =
      program.add_subcommand("completion", "Print the script that completes words in a shell");
  add_choice<Shell>(*command, "SHELL", *shell,
                    {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}},
                    "Which shell")
      ->required();
  command->footer(completion_example);
  command->callback([shell, &chosen] { chosen.text = completion_script(shell->value()); });
}

std::optional<std::string> completed(const CLI::App& program, std::string_view file,
                                     std::span<const std::string> arguments) {
  const bool of_kubectl = file.ends_with(file_of_kubectl);
  if (!of_kubectl && (arguments.empty() || arguments.front() != "__complete")) return std::nullopt;
  return completion_lines(complete(program, arguments.subspan(of_kubectl ? 0 : 1)));
}

}  // namespace tpuwh::server::cli::kubectl_tpu
