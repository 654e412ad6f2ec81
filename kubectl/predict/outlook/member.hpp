// The first Pod of a wanted slice, as the rules of the webhook read it.
#pragma once

#include "base/json/reader.hpp"
#include "kubectl/predict/outlook/outlook.hpp"
#include "webhook/facts/shape.hpp"
#include "webhook/read/cluster.hpp"
#include "webhook/read/pod.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::outlook {

class Member {
 public:
  // `slice` outlives it. A Pod that cannot be read is as good as an empty one.
  Member(const WantedSlice& slice, std::string_view prefix);
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  const WantedSlice& slice() const { return slice_; }
  const webhook::read::Pod& pod() const { return pod_; }
  std::string_view accelerator() const;  // "" where neither slice nor Pod says it
  std::string_view topology() const;

  // With which it asks for a place on nodes. The slice's own key is left out: who holds a node is
  // compared by name.
  webhook::read::PoolQuestion question() const;
  // Alike for the slices that ask the same.
  std::string key() const;

  // A sub-slice or dynamic slice, or topology-aware scheduling: why where it stands is not decided
  // by node pools; "" where it is.
  std::string placed_by_others() const;
  // The value that selector or required node affinity has for `key`, "" for none.
  std::string_view selected(std::string_view key) const;

 private:
  const WantedSlice& slice_;
  std::string text_;  // `pod_` points into it
  base::json::Reader reader_;
  webhook::read::Pod pod_;
  webhook::facts::Shape shape_;
};

}  // namespace tpuwh::server::outlook
