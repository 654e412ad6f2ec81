// The effective settings: flag over file over default.
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

// The settings of one command line: --config and flags.
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
// Returns faults of several settings together, such as a certificate without a key.
std::vector<Problem> contradictions(const Effective& effective);
// Reads the file, or `in` if it is "-". Its problems include the contradictions of its settings.
ConfigFile check_config(const std::string& file, std::istream& in,
                        ParseConfig* parse = parse_config);

}  // namespace tpuwh::server::settings
