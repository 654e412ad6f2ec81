#include "server/text/read_file.hpp"

#include "base/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace tpuwh::server::text {

namespace {

// By read(): an iterator over a directory's buffer throws.
std::string read_most(std::istream& in, std::size_t most) {
  std::string text;
  std::array<char, 16384> part;
  while (in && text.size() < most) {
    in.read(part.data(), static_cast<std::streamsize>(std::min(part.size(), most - text.size())));
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

// All of it, or why not.
Result<std::string> read_all(std::istream& in, std::size_t most) {
  std::string text = read_most(in, most);
  if (text.size() == most && in.peek() != std::istream::traits_type::eof())
    return Error(base::Errc::too_large,
                 fmt::format("it has more than {} MiB, the maximum that is read", most >> 20));
  return text;
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t most) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  auto text = read_all(file, most);
  if (!file.is_open() || file.bad() || errno == EISDIR) return bad_value(std::strerror(errno));
  return text;
}

Result<std::string> read_file_or(std::istream& in, const std::string& path, std::size_t most) {
  if (path == "-") return read_all(in, most);
  return read_file(path, most);
}

}  // namespace tpuwh::server::text
