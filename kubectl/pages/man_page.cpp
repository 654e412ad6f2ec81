#include "kubectl/pages/man_page.hpp"

#include "server/text/version.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace tpuwh::server::cli::pages {

namespace {

// roff takes a backslash for a command, a hyphen for a hyphenation mark, and what is not ASCII by
// number. source: groff(7), groff_char(7) of groff 1.22.4
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      if (text[i] == '\\')
        out += "\\e";
      else if (text[i] == '-' || text[i] == '\'' || text[i] == '`' || text[i] == '^')
        out += text[i] == '-'    ? "\\-"
               : text[i] == '\'' ? "\\(aq"
               : text[i] == '`'  ? "\\(ga"
                                 : "\\(ha";
      else
        out += text[i];
      continue;
    }
    const std::size_t more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
    unsigned code = byte & (0x3fu >> more);
    for (std::size_t k = 0; k < more && i + 1 < text.size(); ++k)
      code = code << 6 | (static_cast<unsigned char>(text[++i]) & 0x3fu);
    out += fmt::format("\\[u{:04X}]", code);
  }
  return out;
}

// One line of text: a period in front would be a request.
std::string line(std::string_view text) {
  const std::string safe = escaped(text);
  return (safe.starts_with('.') ? "\\&" : "") + safe + "\n";
}

std::string in_capitals(std::string text) {
  std::ranges::replace(text, ' ', '-');
  for (char& each : text) each = static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
  return text;
}

std::string page_name(std::string name) {
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string section(std::string_view title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

std::string verbatim(const std::vector<std::string_view>& lines) {
  std::string out = ".nf\n";
  for (const std::string_view each : lines) out += line(each);
  return out + ".fi\n";
}

// A paragraph to be filled, unless a line of it is indented: a table, or an example.
std::string paragraph(const std::vector<std::string_view>& lines) {
  const auto indented = [](std::string_view each) { return each.starts_with(' '); };
  if (std::ranges::any_of(lines, indented)) return ".PP\n" + verbatim(lines);
  std::string out = ".PP\n";
  for (const std::string_view each : lines) out += line(each);
  return out;
}

struct Prose {
  std::string description, exit_status, examples;
};

// The text below the options: paragraphs, a line that begins "Exit code:" and what follows it, and
// at the end "Examples:".
Prose prose_of(std::string_view footer) {
  Prose out;
  std::vector<std::string_view> lines;
  bool examples = false, exit_status = false;
  const auto end_paragraph = [&] {
    if (!lines.empty()) (exit_status ? out.exit_status : out.description) += paragraph(lines);
    lines.clear();
    exit_status = false;
  };
  while (!footer.empty()) {
    const auto end = std::min(footer.find('\n'), footer.size());
    const std::string_view each = footer.substr(0, end);
    footer.remove_prefix(std::min(footer.size(), end + 1));
    if (each == "Examples:") {
      end_paragraph();
      examples = true;
    } else if (!examples && each.empty()) {
      end_paragraph();
    } else if (!examples && each.starts_with("Exit code:")) {
      end_paragraph();
      exit_status = true;
      lines.push_back(each);
    } else {
      lines.push_back(each);
    }
  }
  if (examples)
    out.examples = verbatim(lines);
  else
    end_paragraph();
  return out;
}

std::string bold(std::string_view text) {
  return fmt::format("\\fB{}\\fR", escaped(text));
}

std::string entry(const std::string& head, std::string_view what) {
  return fmt::format(".TP\n{}\n{}", head, line(what));
}

std::string option_entry(const CLI::Option& option) {
  std::string head;
  for (const std::string& name : option.get_snames()) head += ", " + bold("-" + name);
  for (const std::string& name : option.get_lnames()) head += ", " + bold("--" + name);
  head.erase(0, 2);
  const bool value = option.get_expected_max() > 0;
  if (value && !option.get_type_name().empty())
    head += fmt::format(" \\fI{}\\fR", escaped(option.get_type_name()));
  std::string what = option.get_description();
  if (value && !option.get_default_str().empty())
    what += fmt::format(" (default: {})", option.get_default_str());
  return entry(head, what);
}

std::string options(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : command.get_options())
    if (option->nonpositional() && !option->get_group().empty()) out += option_entry(*option);
  return out;
}

std::string arguments(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional())
      out += entry(fmt::format("\\fI{}\\fR", escaped(option->get_name(true, false))),
                   option->get_description());
  return out;
}

std::string commands(const CLI::App& command) {
  std::string out;
  for (const CLI::App* each : command.get_subcommands({}))
    out += entry(bold(each->get_name()), each->get_description());
  return out;
}

std::string synopsis(const CLI::App& command, const std::string& name) {
  std::string out = bold(name) + " [\\fIOPTIONS\\fR]";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string each = fmt::format("\\fI{}\\fR{}", escaped(option->get_name(true, false)),
                                         option->get_allow_extra_args() ? "..." : "");
    out += option->get_required() ? " " + each : " [" + each + "]";
  }
  if (!command.get_subcommands({}).empty()) out += " \\fICOMMAND\\fR";
  return out + "\n";
}

// The command above, and those below.
std::string see_also(const CLI::App& command, const std::string& name) {
  std::vector<std::string> pages;
  if (const auto end = name.rfind(' '); command.get_parent() != nullptr && end != std::string::npos)
    pages.push_back(page_name(name.substr(0, end)));
  for (const CLI::App* each : command.get_subcommands({}))
    pages.push_back(page_name(name + " " + each->get_name()));
  std::string out;
  for (const std::string& page : pages)
    out += fmt::format("{}{}(1)", out.empty() ? "" : ",\n", bold(page));
  return out.empty() ? "" : out + "\n";
}

}  // namespace

std::string man_page(const CLI::App& command, const std::string& name) {
  const Prose prose = prose_of(command.get_footer());
  std::string out = fmt::format(".TH {} 1 \"\" \"tpu\\-webhook {}\" \"tpu\\-webhook\"\n",
                                escaped(in_capitals(name)), escaped(text::version));
  out += section("NAME", fmt::format("{} \\- {}\n", escaped(page_name(name)),
                                     escaped(command.get_description())));
  out += section("SYNOPSIS", synopsis(command, name));
  out += section("DESCRIPTION", prose.description);
  out += section("ARGUMENTS", arguments(command));
  out += section("OPTIONS", options(command));
  out += section("COMMANDS", commands(command));
  out += section("EXIT STATUS", prose.exit_status);
  out += section("EXAMPLES", prose.examples);
  out += section("SEE ALSO", see_also(command, name));
  return out;
}

}  // namespace tpuwh::server::cli::pages
