// The configuration file, YAML or JSON: docs/contract.md, "Configuration file".
#pragma once

#include "server/settings/setting.hpp"
#include "server/text/json.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace tpuwh::server::settings {

// A value that was given for a setting, and by what ("config.yaml:3", "--drain-delay").
struct Given {
  const Setting* setting;
  std::string name;  // what '*' in the key stands for
  Json value;
  std::string from;

  std::string key() const;  // "perNamespace.team-a.placement"
};

// A fault and its place.
struct Problem {
  std::string from;  // "config.yaml:3", or a flag
  std::string key;   // "drain.delay"; "" where it is the whole, or a flag says it
  std::string what;  // what was found, and what would be right
  int line = 0;      // of the file

  std::string text() const;
};

struct ConfigFile {
  std::vector<Given> given;       // in the file's order, each with a value that is right
  std::vector<Problem> problems;  // all there are, by line
};

// Reads the text of a file called `file`. An unknown key, a duplicate key and a value
// of another type are problems; an empty file and an empty section are not.
ConfigFile parse_config(const std::string& text, const std::string& file);

// The same of a file on disk. One that cannot be read, or is larger than
// limits::config_bytes, is a problem.
ConfigFile read_config(const std::string& file);
// The same of a stream, which is called `name`.
ConfigFile read_config(std::istream& in, const std::string& name);

// Problems as lines.
std::string lines_of(const std::vector<Problem>& problems);

}  // namespace tpuwh::server::settings
