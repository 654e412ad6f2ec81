// Which lines two texts have in common (Myers, "An O(ND) Difference Algorithm").
#pragma once

#include <string_view>
#include <vector>

namespace tpuwh::server::print {

struct DiffLine {
  char sign;  // ' ' in both, '-' in the first only, '+' in the second only
  std::string_view text;
};

std::vector<std::string_view> split_lines(std::string_view text);

std::vector<DiffLine> diff_lines(const std::vector<std::string_view>& before,
                                 const std::vector<std::string_view>& after);

}  // namespace tpuwh::server::print
