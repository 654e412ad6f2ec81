// What a workload API says about one of its Pods: which slice it is in, which host
// of it it is, and how the hosts are called.
#pragma once

#include "base/buffer.hpp"
#include "webhook/config/kind.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::webhook::workloads {

// An index as its owner wrote it. `key` is what a message calls it.
struct IndexLabel {
  std::string_view key;
  std::string_view text;  // "" where it is missing
  bool present() const { return !text.empty(); }
};

// Host names of a group, from the parts its labels give; never taken apart again.
//
//   job          <stem>-<host>
//   jobset       <stem>-<stem2>-<slice>-<host>
//   ray          <stem>-<slice>-<host>
//   statefulset  <stem>-<number>
//   lws          <stem>-<stem2>-<number>, and <stem>-<stem2> for number 0, the leader
//
// A number counts the hosts through all slices: first + slice * stride + host.
struct HostNames {
  std::string_view stem = {};
  std::string_view stem2 = {};
  bool with_slice = false;   // the slice's index is a part of the name
  bool numbered = false;     // the last part is a number as above
  bool bare_first = false;   // number 0 has no last part
  bool several = true;       // append_slice() says which of the group's slices it is
  std::uint32_t first = 0;   // number of host 0 of slice 0
  std::uint32_t stride = 0;  // hosts of a slice

  void append(base::Buffer& out, std::uint32_t slice, std::uint32_t host) const;
  // Bytes of the names of hosts 0 to hosts - 1 of a slice together, in closed form: it is
  // asked before anything is built, of a count that a stranger wrote.
  std::size_t total_size(std::uint32_t slice, std::uint32_t hosts) const;
  // What the hosts of one slice have in common, as a name for the slice.
  void append_slice(base::Buffer& out, std::uint32_t slice) const;

 private:
  void append_stem(base::Buffer& out, std::uint32_t slice) const;
  std::uint32_t number(std::uint32_t slice, std::uint32_t host) const {
    return numbered ? first + slice * stride + host : host;
  }
};

struct Member {
  config::WorkloadKind workload = config::WorkloadKind::pod;
  std::string_view kind;   // "JobSet", for people
  std::string_view group;  // name of the JobSet, Job, RayCluster
  std::string_view part;   // replicated job or worker group; "" where there is none

  IndexLabel host;         // needed where the slice has several; with names.numbered a number
  IndexLabel slice;        // in host names; empty key: this API has one slice
  IndexLabel group_slice;  // among the slices of one job, where that is another number
  IndexLabel slice_count;  // likewise; Ray takes it from MEGASCALE_NUM_SLICES

  IndexLabel group_size;     // members the owner says the group has; empty key: it says nothing
  IndexLabel subgroup_size;  // and of a slice, where the group has several

  HostNames names;
  std::string_view subdomain;  // of the Pod, else what the owner's Service is called
  bool gives_names = false;    // we write spec.hostname and spec.subdomain where absent

  // What names the slice for placement, in parts that no other slice has together.
  // Never a revision, a Pod or a restart: a rolling update must not repel itself.
  std::array<std::string_view, 4> key_parts;
  bool slice_in_key = false;  // the last part is the slice's index, once that is known
  void set_key(std::initializer_list<std::string_view> parts) {
    key_parts = {};
    std::size_t i = 0;
    for (const std::string_view each : parts) key_parts.at(i++) = each;
  }

  // The domain the owner keeps a slice on; `owner_keeps_group` where it keeps several of
  // our slices on one, so that terms of ours would contradict it.
  std::string_view exclusive_topology;
  bool owner_keeps_group = false;
  // Where the leader of this follower runs, by exclusive_topology; nothing for a leader, or
  // before it is bound.
  std::optional<std::string> leader_domain;

  // By the user's annotations (annotations.hpp).
  std::string_view hostnames;    // of all hosts in id order, with commas; "" where not given
  std::string_view coordinator;  // host 0 of slice 0; of JobSet's groups spec.coordinator
  IndexLabel worker_id;          // the host, beside what the owner says
  IndexLabel worker_count;       // hosts of the slice
  bool slices_asked = false;     // slice-count: the slices form one job

  // The slices of the group form one job unless told otherwise (JobSet); for Ray
  // only where the user set MEGASCALE_NUM_SLICES.
  bool slices_are_one_job = false;
  // Host 0 of slice 0 is called names(0, 0).
  bool coordinator_known = true;
  // The slices are several owners', and whoever made them one says by `coordinator` where they
  // meet, or not.
  bool of_several_owners = false;

  // Where a slice is one host, the host's index says which of the group's slices the Pod is.
  bool index_names_slice = false;

  // Nothing on the Pod tells it from the others of its group: a ledger gives it its place.
  bool needs_place = false;

  // Why nothing can be said about identity; "" if something can.
  std::string_view incomplete;
};

}  // namespace tpuwh::webhook::workloads
