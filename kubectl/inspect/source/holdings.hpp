// What an input holds, in words: kinds and how many of each.
#pragma once

#include "kubectl/inspect/source/input.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace tpuwh::server::source {

class Holdings {
 public:
  // Of `objects`; of Kubernetes' own kinds those of another API group are another kind ("Service"
  // of Knative's).
  explicit Holdings(std::span<const Input::Object> objects);

  // The kind that an object is counted as.
  static std::string kind_of(const ReadObject& object);

  bool has(std::string_view kind) const { return counts_.contains(kind); }
  bool empty() const { return counts_.empty(); }
  // "4 Nodes, 1 Job (a manifest, which kubectl tpu explain reads) and 2 items without kind"; what
  // is no object of a cluster says what it is. Without the kinds of `left`; "" for nothing else.
  std::string words_without(std::span<const std::string_view> left) const;
  std::string words() const { return words_without({}); }

 private:
  struct Count {
    std::size_t all = 0, without_uid = 0;
  };
  std::map<std::string, Count, std::less<>> counts_;
};

}  // namespace tpuwh::server::source
