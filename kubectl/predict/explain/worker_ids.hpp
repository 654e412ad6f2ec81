// The worker ids of members as people write them.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/print/ranges.hpp"

#include <algorithm>
#include <string>

namespace tpuwh::server::explain {

// "3", "6,7" of two TPU containers, "" where they are not known.
inline std::string worker_ids_text(const Member& member) {
  std::string out;
  for (const std::uint32_t id : member.worker_ids)
    out += (out.empty() ? "" : ",") + std::to_string(id);
  return out;
}

// "0-255", "0-3,5": of a whole slice.
inline std::string worker_ids_text(const Slice& slice) {
  std::vector<std::uint32_t> ids;
  for (const Member& member : slice.members)
    ids.insert(ids.end(), member.worker_ids.begin(), member.worker_ids.end());
  std::ranges::sort(ids);
  return print::as_ranges(ids);
}

}  // namespace tpuwh::server::explain
