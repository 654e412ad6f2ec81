#include "kubectl/print/shell_command.hpp"

#include "server/text/visible.hpp"

namespace tpuwh::server::print {

namespace {

constexpr std::string_view alphanumeric =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

// What no shell reads as anything but itself.
bool is_word(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of(std::string(alphanumeric) + "-_./:=,@%+") == std::string_view::npos;
}

}  // namespace

// POSIX.1-2024, Shell Command Language, 2.2.2: nothing is special between single quotes but their
// end.
std::string shell_word(std::string_view text) {
  if (is_word(text)) return std::string(text);
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  return out + "'";
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && alphanumeric.find(text.front()) != std::string_view::npos &&
         text.find_first_not_of(std::string(alphanumeric) + "-_.") == std::string_view::npos;
}

ShellCommand& ShellCommand::words(text::Literal more) {
  if (!text_.empty()) text_.append(" ").append(more.text());
  return *this;
}

void ShellCommand::add(std::string_view argument) {
  if (text::visible(argument) != argument)
    text_.clear();
  else if (!text_.empty())
    text_ += " " + shell_word(argument);
}

ShellCommand& ShellCommand::arg(std::string_view text) {
  if (text.empty() || text.front() == '-')
    text_.clear();
  else
    add(text);
  return *this;
}

ShellCommand& ShellCommand::arg(text::Literal before, std::string_view text) {
  add(std::string(before.text()) += text);
  return *this;
}

ShellCommand& ShellCommand::name(std::string_view text) {
  return name("", text);
}

ShellCommand& ShellCommand::name(text::Literal before, std::string_view text) {
  if (is_plain_name(text))
    add(std::string(before.text()) += text);
  else
    text_.clear();
  return *this;
}

}  // namespace tpuwh::server::print
