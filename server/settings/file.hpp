// The configuration file of `serve`, JSON: docs/contract.md, "Configuration file".
#pragma once

#include "server/settings/setting.hpp"
#include "server/text/json.hpp"

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace tpuwh::server::settings {

// A value that was given for a setting, and where ("config.json", "--drain-delay").
struct Given {
  const Setting* setting;
  std::string name;  // the namespace that '*' in the key stands for
  Json value;
  std::string from;

  std::string key() const;  // "perNamespace.team-a.placement"
};

// A fault of a file or of a combination of settings.
struct Problem {
  std::string from;  // "config.json", or a flag
  std::string key;   // "drain.delay"; "" for the whole file, or for a flag
  std::string what;  // what was found, and what would be right
  int line = 0;      // of the file; 0 if it is not known
  bool unknown_key = false;

  std::string text() const;
};

struct ConfigFile {
  std::vector<Given> given;       // valid values, in the file's order
  std::vector<Problem> problems;  // all of them
};

// The lines of a file by JSON pointer, from 1.
using Lines = std::map<std::string, int>;

// Reads the settings in `document`, the content of a file called `file`. Unknown keys and values of
// another type are problems; an empty file and an empty section are not.
ConfigFile settings_in(const Json& document, const std::string& file, const Lines& lines = {});

// Reads the text of a JSON file called `file`. A repeated key is also a problem.
ConfigFile parse_config(const std::string& text, const std::string& file);
using ParseConfig = ConfigFile(const std::string& text, const std::string& file);

// Reads a file on disk, or a stream that is called `name`. A file that cannot be read, or that is
// larger than limits::config_bytes, is a problem.
ConfigFile read_config(const std::string& file, ParseConfig* parse = parse_config);
ConfigFile read_config(std::istream& in, const std::string& name,
                       ParseConfig* parse = parse_config);

// Returns the problems as lines.
std::string lines_of(const std::vector<Problem>& problems);

}  // namespace tpuwh::server::settings
