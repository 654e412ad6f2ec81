// What the user asked for makes no sense.
#pragma once

#include <stdexcept>

namespace tpuwh::server::settings {

// A command line or a configuration file that makes no sense, in one line unless a file has
// several problems: exit code 2, as review's for input that cannot be used; 1 is a denial
// there and a failure elsewhere.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tpuwh::server::settings
