// Names one after the other in one buffer: filled, read and cleared without an allocation once
// it has grown.
#pragma once

#include "base/buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tpuwh::base {

class NameList {
 public:
  void clear() {
    text_.clear();
    ends_.clear();
  }
  void add(std::string_view name) {
    text_.append(name);
    ends_.push_back(static_cast<std::uint32_t>(text_.size()));
  }
  bool empty() const { return ends_.empty(); }
  std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t i) const {
    const std::uint32_t begin = i == 0 ? 0 : ends_[i - 1];
    return text_.view().substr(begin, ends_[i] - begin);
  }

 private:
  Buffer text_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace tpuwh::base
