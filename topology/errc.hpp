// What can be wrong with a topology and with the chips that are asked for in it.
#pragma once

namespace tpuwh::topology {

// Whoever wrote the topology label or annotation, or the containers' limits, can cause these.
enum class Errc {
  dims_empty,           // ""
  dims_malformed,       // "4x", "4x4x4x4", "4 x 4", "four"; 4x4x4 where slices have two dimensions
  dims_upper_case,      // "4X4": no node carries it
  dims_zero,            // "0x4"
  dims_negative,        // "-4x4"
  dims_too_large,       // an axis or the product beyond what any pod could have
  chips_invalid,        // a container that asks for no whole, positive number of chips
  chips_not_dividing,   // product of the dimensions is not a multiple of the chips of a host
  bounds_not_dividing,  // chips-per-process bounds do not divide an axis of the topology
};

}  // namespace tpuwh::topology
