// The objects of manifests, as people keep them and kubectl prints them (objects.hpp).
#pragma once

#include "base/result.hpp"
#include "kubectl/inspect/source/origin.hpp"
#include "server/text/json_text.hpp"

#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <vector>

namespace tpuwh::server::source {

struct Manifest {
  std::string file;  // as a person calls it: "standard input" for "-"
  Json object;
  std::vector<std::string> notes = {};        // how it was read, where others read it another way
  std::shared_ptr<const Origin> origin = {};  // null where the file holds it by itself
};

// Bytes of all files together. A manifest has some kilobytes, and a thousand of them are a few
// megabytes; while it is parsed, YAML of the worst kind takes seventy times its size.
inline constexpr std::size_t max_manifest_bytes = std::size_t{8} << 20;

// Every object in the order of files and documents, those of Lists one by one; each is a mapping
// with a kind. Of those with one uid the newest.
//
//   errors  bad_value: a file cannot be read, is empty, holds no object, or one without kind;
//           what Input::read() says, with file and line; too_large
Result<std::vector<Manifest>> read_manifests(const std::vector<std::string>& names,
                                             std::istream& in);

}  // namespace tpuwh::server::source
