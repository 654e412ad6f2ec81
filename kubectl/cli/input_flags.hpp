// FILE, -f and -n: which objects a command reads.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tpuwh::server::cli::kubectl_tpu {

// What -f names; FILEs go into `files`. Both are together once join_files() was called.
using FlaggedFiles = std::shared_ptr<std::vector<std::string>>;

//   help  of FILE
FlaggedFiles add_input_flags(CLI::App& command, std::vector<std::string>& files, std::string& ns,
                             const std::string& help);
// After the command line was read.
void join_files(const FlaggedFiles& flagged, std::vector<std::string>& files);

}  // namespace tpuwh::server::cli::kubectl_tpu
