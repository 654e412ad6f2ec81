// Reads a whole file that a user or a setting names. The size is limited, because a device or a
// pipe may have no end.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <iosfwd>
#include <string>

namespace tpuwh::server::text {

// The objects of a cluster, or recorded reviews: 10,000 Pods have some 100 MiB. Read, they take
// some times that.
inline constexpr std::size_t max_snapshot_bytes = std::size_t{256} << 20;

// The largest size of a small file, such as a bundle of certificates or the saved output of a
// command of kubectl-tpu.
inline constexpr std::size_t max_small_bytes = std::size_t{1} << 20;

//   errors  bad_value: why, in the system's words ("No such file or directory"); too_large, with
//           the limit
Result<std::string> read_file(const std::string& path, std::size_t most);

// "-" is `in`.
Result<std::string> read_file_or(std::istream& in, const std::string& path, std::size_t most);

}  // namespace tpuwh::server::text
