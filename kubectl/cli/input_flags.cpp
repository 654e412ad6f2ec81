#include "kubectl/cli/input_flags.hpp"

#include <CLI/CLI.hpp>

namespace tpuwh::server::cli::kubectl_tpu {

FlaggedFiles add_input_flags(CLI::App& command, std::vector<std::string>& files, std::string& ns,
                             const std::string& help) {
  auto flagged = std::make_shared<std::vector<std::string>>();
  command.add_option("FILE", files, help);
  command.add_option("--filename,-f", *flagged, "The same as FILE, as in kubectl")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command.add_option("--namespace,-n", ns, "Namespace of objects that name none")
      ->type_name("NS")
      ->capture_default_str();
  return flagged;
}

void join_files(const FlaggedFiles& flagged, std::vector<std::string>& files) {
  files.insert(files.end(), flagged->begin(), flagged->end());
}

}  // namespace tpuwh::server::cli::kubectl_tpu
