// What is wrong with a file of settings or of rules, as it is told.
#pragma once

#include "server/settings/file.hpp"
#include "tests/fuzz/printed.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tpuwh::fuzz {

inline void require_told(const std::vector<server::settings::Problem>& problems,
                         const std::string& text) {
  const auto lines = 1 + std::ranges::count(text, '\n');
  for (const server::settings::Problem& problem : problems) {
    require_plain(problem.text());
    require(problem.line >= 0 && problem.line <= lines, "a line that is not in the file");
  }
}

}  // namespace tpuwh::fuzz
