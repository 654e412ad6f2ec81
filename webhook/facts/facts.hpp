// What is settled about a member of a slice once its labels, its shape and the
// arithmetic agree: the input of env and placement.
#pragma once

#include "topology/next_member.hpp"
#include "topology/slice.hpp"
#include "webhook/facts/provenance.hpp"
#include "webhook/facts/shape.hpp"
#include "webhook/read/pod.hpp"
#include "webhook/workloads/member.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace tpuwh::webhook::facts {

struct Facts {
  const read::Pod* pod = nullptr;
  const Shape* shape = nullptr;
  const workloads::Member* member = nullptr;
  const Provenance* before = nullptr;  // what an earlier pass wrote
  std::string_view ns;

  topology::Slice slice{};
  std::uint32_t host = 0;         // of this Pod in its slice
  std::uint32_t slice_index = 0;  // in host names
  std::uint32_t job_slice = 0;    // among the slices of one job
  std::uint32_t slice_count = 0;  // of that job; 0 if not known

  // The slice index where it belongs to the key of the slice.
  std::array<char, 10> slice_digits{};

  bool sliced = false;  // the indices above were read

  // Where the place is the ledger's.
  std::string_view token;               // that the Pod is to carry; "" for none
  topology::GroupSize place_size = {};  // what the ledger is asked with

  // Every host has a name that resolves: host names and a subdomain exist.
  bool named = false;
  // Which host of the slice this is, is known (always with one host).
  bool placed = false;

  bool lws() const { return member->workload == config::WorkloadKind::lws; }
  // It came with the token of another Pod, and with what was written for that one.
  bool copied() const {
    const std::string_view present = pod->label(read::Label::token);
    return !token.empty() && !present.empty() && present != token;
  }
  bool ray() const { return member->workload == config::WorkloadKind::ray; }
};

}  // namespace tpuwh::webhook::facts
