#include "kubectl/print/line_diff.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace tpuwh::server::print {

namespace {

using Index = std::ptrdiff_t;
using Lines = std::span<const std::string_view>;

// Two texts that differ in more lines are compared in parts, each of which is the shortest way to a
// place in both: time and memory then grow with the differences and not with their square.
constexpr Index most_edits = 1000;

std::string_view at(Lines lines, Index i) {
  return lines[static_cast<std::size_t>(i)];
}

// A way through both texts: from where it came to the end of the lines alike; -1 for none. Diagonal
// k is x - y, x counts lines of the first.
constexpr Index nowhere = -1;

// How far each diagonal reaches by a number of edits: k = -edits, -edits + 2, ... edits.
class Round {
 public:
  explicit Round(Index edits) : edits_(edits), reach_(static_cast<std::size_t>(edits) + 1) {}
  Index operator[](Index k) const {
    return k < -edits_ || k > edits_ ? nowhere : reach_[static_cast<std::size_t>((k + edits_) / 2)];
  }
  void set(Index k, Index x) { reach_[static_cast<std::size_t>((k + edits_) / 2)] = x; }

 private:
  Index edits_;
  std::vector<Index> reach_;
};

// Where an edit more comes to on diagonal k, before the lines alike.
struct Came {
  Index x;
  bool down;  // by a line of the second
};

Came came(const Round& before, Index k, Index n, Index m) {
  const Index left = before[k - 1], above = before[k + 1];
  const Index right = left == nowhere || left == n ? nowhere : left + 1;
  const Index down = above == nowhere || above - k > m ? nowhere : above;
  return down >= right ? Came{down, true} : Came{right, false};
}

struct Search {
  std::vector<Round> rounds;
  Index k = 0;  // the diagonal that reaches furthest in the last round
};

Search search(Lines a, Lines b) {
  const Index n = std::ssize(a), m = std::ssize(b);
  Search out;
  for (Index edits = 0;; ++edits) {
    Round round(edits);
    Index furthest = nowhere;
    for (Index k = -edits; k <= edits; k += 2) {
      Index x = edits == 0 ? 0 : came(out.rounds.back(), k, n, m).x;
      while (x != nowhere && x < n && x - k < m && at(a, x) == at(b, x - k)) ++x;
      round.set(k, x);
      if (x != nowhere && 2 * x - k > furthest) {
        furthest = 2 * x - k;
        out.k = k;
      }
    }
    out.rounds.push_back(std::move(round));
    if (furthest == n + m || edits == most_edits) return out;
  }
}

// The lines on the way of `found`, and how many of each text they are.
struct Stretch {
  std::vector<DiffLine> lines;
  Index before, after;
};

Stretch walk_back(const Search& found, Lines a, Lines b) {
  Index x = found.rounds.back()[found.k], y = x - found.k;
  Stretch out{{}, x, y};
  for (Index edits = std::ssize(found.rounds) - 1; edits >= 0; --edits) {
    const auto from = edits == 0 ? Came{0, false}
                                 : came(found.rounds[static_cast<std::size_t>(edits - 1)], x - y,
                                        std::ssize(a), std::ssize(b));
    for (; x > from.x; --x, --y) out.lines.push_back({' ', at(a, x - 1)});
    if (edits == 0) break;
    if (from.down)
      out.lines.push_back({'+', at(b, --y)});
    else
      out.lines.push_back({'-', at(a, --x)});
  }
  std::ranges::reverse(out.lines);
  return out;
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

std::vector<DiffLine> diff_lines(const std::vector<std::string_view>& before,
                                 const std::vector<std::string_view>& after) {
  Lines a(before), b(after);
  std::vector<DiffLine> out;
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    out.push_back({' ', a.front()});
    a = a.subspan(1);
    b = b.subspan(1);
  }
  std::size_t alike = 0;  // at the ends
  const std::size_t shorter = std::min(a.size(), b.size());
  while (alike < shorter && a[a.size() - alike - 1] == b[b.size() - alike - 1]) ++alike;
  const Lines end = a.last(alike);
  a = a.first(a.size() - alike);
  b = b.first(b.size() - alike);
  while (!a.empty() || !b.empty()) {
    const Stretch part = walk_back(search(a, b), a, b);
    out.insert(out.end(), part.lines.begin(), part.lines.end());
    a = a.subspan(static_cast<std::size_t>(part.before));
    b = b.subspan(static_cast<std::size_t>(part.after));
  }
  for (const std::string_view line : end) out.push_back({' ', line});
  return out;
}

}  // namespace tpuwh::server::print
