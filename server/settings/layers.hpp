// The effective settings. A flag overrides the configuration file, and the file overrides the
// default.
#pragma once

#include "server/settings/file.hpp"

#include <map>
#include <string>
#include <vector>

namespace tpuwh::server::settings {

struct Effective {
  ServeOptions options;
  std::map<std::string, std::string> from;  // key of what was given -> by what
};

// The settings of one command line: the file of --config, and the other flags.
struct Layers {
  ParseConfig* parse = parse_config;
  std::string file;          // "" for none
  std::vector<Given> flags;  // in the order of the command line

  // Reads the file and puts the flags over it. Throws UsageError: every problem of the file, or
  // values that contradict each other.
  Effective resolve() const;
};

// Values over the defaults, the last of a key wins.
Effective combine(const std::vector<Given>& given);
// Returns the problems of settings that contradict each other, such as a certificate without a key.
std::vector<Problem> contradictions(const Effective& effective);
// Returns the settings and problems of the file, or of `in` if `file` is "-". Settings that
// contradict each other are also problems, but are reported only if there are no others.
ConfigFile check_config(const std::string& file, std::istream& in,
                        ParseConfig* parse = parse_config);

}  // namespace tpuwh::server::settings
