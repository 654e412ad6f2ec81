// Reads the configuration file of `serve`, a JSON file: docs/contract.md, "Configuration file".
#pragma once

#include "server/settings/setting.hpp"
#include "server/text/json.hpp"

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace tpuwh::server::settings {

// A value that was given for a setting, and its source ("config.json", "--drain-delay").
struct Given {
  const Setting* setting;
  std::string name;  // the namespace that replaces '*' in the key; "" if the key has no '*'
  Json value;
  std::string from;

  std::string key() const;  // "perNamespace.team-a.placement"
};

// An error in a configuration file or in a combination of settings.
struct Problem {
  std::string from;  // "config.json", or a flag
  std::string key;   // "drain.delay"; "" for the whole file, or for a flag
  std::string what;  // what was found, and what would be right
  int line = 0;      // the line number in the file; 0 if it is not known
  bool unknown_key = false;

  std::string text() const;
};

struct ConfigFile {
  std::vector<Given> given;       // valid values, in the file's order
  std::vector<Problem> problems;  // all problems of the file, not only the first one
};

// The line number of each value of a file. The key is the JSON pointer of the value. The first line
// has number 1.
using Lines = std::map<std::string, int>;

// Reads the settings in `document`, the parsed content of a file. `file` is the name of the file in
// messages. Unknown keys and values of a wrong type are problems. An empty file and an empty
// section are not problems.
ConfigFile settings_in(const Json& document, const std::string& file, const Lines& lines = {});

// Reads the settings in `text`, the JSON text of a file. Messages name the file as `file`. The
// result lists the problems of the text: those that settings_in() finds, and repeated keys.
ConfigFile parse_config(const std::string& text, const std::string& file);
using ParseConfig = ConfigFile(const std::string& text, const std::string& file);

// Reads the settings in a file or in a stream. `name` is the name of the stream in messages. A file
// or stream that cannot be read, or that is larger than limits::config_bytes, is a problem.
ConfigFile read_config(const std::string& file, ParseConfig* parse = parse_config);
ConfigFile read_config(std::istream& in, const std::string& name,
                       ParseConfig* parse = parse_config);

// Returns the texts of the problems, each on a line of its own.
std::string lines_of(const std::vector<Problem>& problems);

}  // namespace tpuwh::server::settings
