#include "server/text/read_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace tpuwh::server::text {

// By read(): an iterator over a directory's buffer throws.
std::string read_all(std::istream& in) {
  std::string text;
  std::array<char, 16384> part;
  while (in) {
    in.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

Result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text = read_all(file);
  if (!file.is_open() || file.bad() || errno == EISDIR)
    return Error(Errc::bad_value, std::strerror(errno));
  return text;
}

Result<std::string> read_file_or(std::istream& in, const std::string& path) {
  if (path == "-") return read_all(in);
  return read_file(path);
}

}  // namespace tpuwh::server::text
