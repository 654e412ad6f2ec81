#include "server/text/line_diff.hpp"

#include <algorithm>
#include <cstddef>

namespace tpuwh::server::text {

namespace {

using Index = std::ptrdiff_t;
using Lines = std::vector<std::string_view>;

// Furthest reaching ends after each number of edits; diagonal k is x - y.
struct Trace {
  std::vector<std::vector<Index>> rounds;
  Index offset;
};

std::string_view at(const Lines& lines, Index i) {
  return lines[static_cast<std::size_t>(i)];
}

bool went_down(const std::vector<Index>& reach, Index k, Index edits, Index offset) {
  const auto get = [&](Index d) { return reach[static_cast<std::size_t>(d + offset)]; };
  return k == -edits || (k != edits && get(k - 1) < get(k + 1));
}

Trace search(const Lines& a, const Lines& b) {
  const Index n = std::ssize(a), m = std::ssize(b);
  const Index most = n + m;
  Trace trace{{}, most + 1};
  std::vector<Index> reach(static_cast<std::size_t>(2 * most + 3), 0);
  for (Index edits = 0; edits <= most; ++edits) {
    trace.rounds.push_back(reach);
    for (Index k = -edits; k <= edits; k += 2) {
      const auto slot = static_cast<std::size_t>(k + trace.offset);
      Index x = went_down(reach, k, edits, trace.offset) ? reach[slot + 1] : reach[slot - 1] + 1;
      while (x < n && x - k < m && at(a, x) == at(b, x - k)) ++x;
      reach[slot] = x;
      if (x >= n && x - k >= m) return trace;
    }
  }
  return trace;
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

std::vector<DiffLine> diff_lines(const Lines& before, const Lines& after) {
  const Trace trace = search(before, after);
  std::vector<DiffLine> out;
  Index x = std::ssize(before), y = std::ssize(after);
  for (Index edits = std::ssize(trace.rounds) - 1; edits >= 0; --edits) {
    const auto& reach = trace.rounds[static_cast<std::size_t>(edits)];
    const Index k = x - y;
    const bool down = went_down(reach, k, edits, trace.offset);
    const Index from_k = down ? k + 1 : k - 1;
    const Index from_x = edits == 0 ? 0 : reach[static_cast<std::size_t>(from_k + trace.offset)];
    const Index from_y = edits == 0 ? 0 : from_x - from_k;
    while (x > from_x && y > from_y) {
      --x, --y;
      out.push_back({' ', at(before, x)});
    }
    if (edits == 0) break;
    if (down)
      out.push_back({'+', at(after, --y)});
    else
      out.push_back({'-', at(before, --x)});
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace tpuwh::server::text
