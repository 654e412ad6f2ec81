// What is kept from review to review: memory, and what the Pods of a slice share.
#pragma once

#include "base/buffer.hpp"
#include "webhook/env/values.hpp"
#include "webhook/identity/member_names.hpp"
#include "webhook/identity/pod_slice.hpp"
#include "webhook/placement/placement.hpp"
#include "webhook/placement/write_placement.hpp"

#include <string>

namespace tpuwh::webhook::decide {

struct Kept {
  identity::KeptSlice slice;
  identity::CheckedNames checked_names;
  env::EnvValues values;
  placement::Affinities affinities;
  placement::SliceKeys slice_keys;
  base::Buffer text;  // an annotation while it is written
  std::string service;
};

}  // namespace tpuwh::webhook::decide
