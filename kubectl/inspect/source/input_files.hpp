// The files that a person names on a command line: files, folders of them, standard input.
#pragma once

#include "base/result.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::source {

// What messages call it: "standard input" for "-".
std::string spoken_file(const std::string& path);

// Every file that is meant, in the order of `names`: a file itself; of a folder the *.yaml, *.yml
// and *.json in it and in its folders, by path and without hidden ones; "-" is standard input.
//
//   errors  bad_value: it does not exist, a folder has none of them, or "-" is named twice
Result<std::vector<std::string>> input_files(const std::vector<std::string>& names);

}  // namespace tpuwh::server::source
