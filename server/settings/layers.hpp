// What is in force: flag over file over default.
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

// What one command line gives: --config and flags.
struct Layers {
  std::string file;          // "" for none
  std::vector<Given> flags;  // in the order of the command line

  // Reads the file and puts the flags over it. Throws UsageError: every problem of the file, or
  // values that contradict each other.
  Effective resolve() const;
};

// Values over the defaults, the last of a key wins.
Effective combine(const std::vector<Given>& given);
// What no setting can see by itself, such as a certificate without a key.
std::vector<Problem> contradictions(const Effective& effective);

}  // namespace tpuwh::server::settings
