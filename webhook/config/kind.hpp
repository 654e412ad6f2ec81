// The workload APIs there are rules for, and sets of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace tpuwh::webhook::config {

enum class WorkloadKind : std::uint8_t { pod, job, jobset, ray, lws, statefulset, count_ };
inline constexpr auto workload_kinds = static_cast<std::size_t>(WorkloadKind::count_);

class WorkloadSet {
 public:
  constexpr WorkloadSet() = default;
  constexpr WorkloadSet(std::initializer_list<WorkloadKind> kinds) {
    for (const WorkloadKind kind : kinds) add(kind);
  }
  static constexpr WorkloadSet all() {
    WorkloadSet set;
    set.bits_ = ~0u;
    return set;
  }

  constexpr void add(WorkloadKind kind) { bits_ |= 1u << static_cast<unsigned>(kind); }
  constexpr bool has(WorkloadKind kind) const {
    return (bits_ >> static_cast<unsigned>(kind) & 1u) != 0;
  }
  bool operator==(const WorkloadSet&) const = default;

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace tpuwh::webhook::config
