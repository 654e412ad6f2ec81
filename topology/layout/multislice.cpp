#include "topology/layout/multislice.hpp"

#include "base/result.hpp"

#include <limits>
#include <string>

namespace tpuwh::topology::layout {

Result<Multislice> make_multislice(const Slice& slice, std::uint32_t count) {
  const std::string slices = std::to_string(count) + " slices of " + slice.dims.text();
  if (count == 0) return bad_value("a job needs at least 1 slice, not 0");
  if (slice.hosts > std::numeric_limits<std::uint32_t>::max() / count) {
    return bad_value(slices + " have more than 4,294,967,295 hosts");
  }
  if (count > 1 && !slice.multi_host()) {
    return bad_value(slices + " with " + std::to_string(slice.chips_per_host) +
                     " chips per host are independent: multislice joins slices " +
                     "of more than one host");
  }
  if (count > 1 && slice.generation != nullptr && !slice.generation->multislice) {
    return bad_value(slices + " are independent: multislice is not documented " + "for " +
                     std::string(slice.generation->label));
  }
  return Multislice{.slice = slice, .count = count};
}

}  // namespace tpuwh::topology::layout
