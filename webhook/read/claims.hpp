// The chips for which a Pod asks by claims (DRA) or by the resource of a DeviceClass, not by
// google.com/tpu.
#pragma once

#include "webhook/read/cluster.hpp"
#include "webhook/read/pod.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::read {

// More claims of one Pod are not looked for before it is answered: a review that nobody has checked
// may name as many as it holds, and each is a question to the API server.
inline constexpr std::size_t max_unread_claims = 16;

// The largest number of claims, and of resources that may be claims, that are looked up for the
// containers of a Pod. Each lookup is a question to the store. Claims and resources above this
// number count as not read.
inline constexpr std::size_t max_asked_claims = 128;

// What the claims of a Pod say beside its chips.
struct TakenClaims {
  enum class NotCounted {
    nothing,
    perhaps,  // whether a claim is for chips is not known
    chips,    // one is, and for how many is not known
  };

  // Of a Pod that asks for no chips by google.com/tpu: what is to be read before it is known for
  // how many it asks; views into the Pod.
  std::vector<ClaimSource> unread;
  std::string unreadable;             // why one of them could not be; "" where all could
  bool again = false;                 // another replica may be able to
  std::string accelerator, topology;  // that its claims for chips agree on; "" where none says it
  bool alternatives = false;          // its chips are what alternatives have in common
  std::string_view named;             // a ResourceClaim that has chips, as all who name it have
  NotCounted not_counted = NotCounted::nothing;
  std::string why;  // of what is not counted, a sentence; "" where nothing was read of it

  void clear();
};

// Gives each container the chips that its claims ask for, as if it had asked by
// google.com/tpu. A container whose claims are not all known, or are another container's
// too, stays as it is. Puts pod.claims in the order of their names.
//
//   all that a node has  where the Pod or the claim selects nodes that all have the same number
//   containers  of a Pod that share a claim: one that ends before the others begin has it, too. Two
//               entries that name one ResourceClaim are one claim
//   cost  claims and uses, times the logarithm of the claims; no allocation but for what a claim
//         says beside its chips, and where entries name ResourceClaims
void take_claimed_chips(Pod& pod, std::string_view ns, const ClusterView& cluster,
                        TakenClaims& taken);

}  // namespace tpuwh::webhook::read
