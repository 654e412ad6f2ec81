// Reading a file that somebody named, whole. Files with a limit: server/kube/access/small_file.hpp.
#pragma once

#include "topology/result.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace tpuwh::server::text {

// At most `most` bytes.
std::string read_all(std::istream& in, std::size_t most = SIZE_MAX);

//   errors  bad_value: why, in the system's words ("No such file or directory")
Result<std::string> read_file(const std::string& path, std::size_t most = SIZE_MAX);

// "-" is `in`.
Result<std::string> read_file_or(std::istream& in, const std::string& path,
                                 std::size_t most = SIZE_MAX);

}  // namespace tpuwh::server::text
