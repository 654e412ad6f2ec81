// Writes the manual pages of kubectl-tpu into a folder. `cmake --install` runs this program.

#include "kubectl/cli/cli.hpp"
#include "kubectl/pages/man_page.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

using namespace tpuwh::server::cli;

namespace {

// One page for each command. False where one could not be written.
bool write_pages(const CLI::App& command, const std::string& name,
                 const std::filesystem::path& folder) {
  std::string file = name + ".1";
  std::ranges::replace(file, ' ', '-');
  if (!(std::ofstream(folder / file) << pages::man_page(command, name) << std::flush)) {
    std::cerr << "cannot write " << (folder / file).string() << ": " << std::strerror(errno)
              << '\n';
    return false;
  }
  return std::ranges::all_of(command.get_subcommands({}), [&](const CLI::App* each) {
    return write_pages(*each, name + " " + each->get_name(), folder);
  });
}

bool write_pages(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "kubectl-tpu");
  CLI::App app;
  kubectl_tpu::Command chosen;
  kubectl_tpu::describe(app, chosen);
  return write_pages(app, app.get_name(), folder / "kubectl-tpu");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: man_pages FOLDER\n";
    return 2;
  }
  try {
    return write_pages(argv[1]) ? 0 : 1;
  } catch (const std::filesystem::filesystem_error& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
  }
}
