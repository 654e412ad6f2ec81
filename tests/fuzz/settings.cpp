#include "kubectl/settings/command.hpp"
#include "kubectl/settings/read.hpp"
#include "tests/fuzz/growth.hpp"
#include "tests/fuzz/printed.hpp"
#include "tests/fuzz/problems.hpp"
#include "tests/fuzz/targets.hpp"

#include <algorithm>

namespace tpuwh::fuzz {

namespace {

using namespace server::settings;

std::string printed(const std::vector<Given>& given, ConfigOutput output) {
  ConfigPrintOptions options;
  options.output = output;
  options.effective = combine(given);
  const Ended said = run_command(
      {}, [&](const server::text::Console& console) { return run_config_print(options, console); });
  require(said.code == 0 && said.err.empty(), "what was taken cannot be printed: " + said.err);
  return said.out;
}

}  // namespace

void settings(std::string_view bytes) {
  const std::string text(bytes);
  require_told(parse_config(text, "f").problems, text);
  const ConfigFile file = parse_yaml_config(text, "f");
  require_told(file.problems, text);
  const std::string json = printed(file.given, ConfigOutput::json);
  require_json(json);
  require(parse_config(json, "f").problems.empty(), "the server does not take what is printed");
  // What is in force is a file that says the same.
  const std::string once = printed(file.given, ConfigOutput::yaml);
  require_plain(once);
  const ConfigFile again = parse_yaml_config(once, "f");
  require(again.problems.empty(),
          "what is printed is not taken: " +
              (again.problems.empty() ? std::string() : again.problems[0].text()));
  // Where a value comes from stands behind it.
  const auto without_comments = [](const std::string& yaml) {
    std::string out;
    std::istringstream printed_lines(yaml);
    for (std::string line; std::getline(printed_lines, line);) {
      line.resize(std::min(line.rfind(" # "), line.size()));
      out.append(line, 0, line.find_last_not_of(' ') + 1).append(1, '\n');
    }
    return out;
  };
  require(without_comments(printed(again.given, ConfigOutput::yaml)) == without_comments(once),
          "printed, read and printed again it is another:\n" + once);
  require_linear_time(bytes, "\n",
                      [](std::string_view input) { parse_yaml_config(std::string(input), "f"); });
}

}  // namespace tpuwh::fuzz
