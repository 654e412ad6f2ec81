#include "webhook/workloads/member.hpp"

namespace tpuwh::webhook::workloads {

namespace {

// Digits of all numbers from 0 to count - 1: one each, and one more for each
// number from 10, 100, … on.
std::size_t digits_below(std::uint64_t count) {
  std::size_t digits = count;
  for (std::uint64_t power = 10; power < count; power *= 10) digits += count - power;
  return digits;
}

}  // namespace

void HostNames::append_stem(base::Buffer& out, std::uint32_t slice) const {
  out.append(stem);
  if (!stem2.empty()) out.add('-', stem2);
  if (with_slice) out.add('-', slice);
}

void HostNames::append_slice(base::Buffer& out, std::uint32_t slice) const {
  append_stem(out, slice);
  if (numbered && several) out.add('-', slice);
}

void HostNames::append(base::Buffer& out, std::uint32_t slice, std::uint32_t host) const {
  const std::uint32_t last = number(slice, host);
  if (last == 0 && bare_first) return append_stem(out, slice);
  if (stem2.empty() && !with_slice)
    out.add(stem, '-', last);
  else if (stem2.empty())
    out.add(stem, '-', slice, '-', last);
  else if (!with_slice)
    out.add(stem, '-', stem2, '-', last);
  else
    out.add(stem, '-', stem2, '-', slice, '-', last);
}

std::size_t HostNames::total_size(std::uint32_t slice, std::uint32_t hosts) const {
  const std::size_t stem_size = stem.size() + (stem2.empty() ? 0 : 1 + stem2.size()) +
                                (with_slice ? 1 + base::decimal_digits(slice) : 0);
  const std::uint64_t from = number(slice, 0);
  const std::size_t bare = bare_first && from == 0 ? 2 : 0;  // "-0"
  return hosts * (stem_size + 1) + digits_below(from + hosts) - digits_below(from) - bare;
}

}  // namespace tpuwh::webhook::workloads
