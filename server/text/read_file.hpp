// Reading a file that somebody named, whole. Files with a limit: server/kube/access/small_file.hpp.
#pragma once

#include "topology/result.hpp"

#include <iosfwd>
#include <string>

namespace tpuwh::server::text {

std::string read_all(std::istream& in);

//   errors  bad_value: why, in the system's words ("No such file or directory")
Result<std::string> read_file(const std::string& path);

// "-" is `in`.
Result<std::string> read_file_or(std::istream& in, const std::string& path);

}  // namespace tpuwh::server::text
