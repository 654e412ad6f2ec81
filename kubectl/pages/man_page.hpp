// A command's manual page in roff, from the text that --help prints.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tpuwh::server::cli::pages {

// `name` is what is typed: "tpu-webhook config check".
std::string man_page(const CLI::App& command, const std::string& name);

}  // namespace tpuwh::server::cli::pages
