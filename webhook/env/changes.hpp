// What is to be done to the env of a container, and the operations that do it.
#pragma once

#include "webhook/env/wanted.hpp"
#include "webhook/write/patch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tpuwh::webhook::env {

// As many as there are variables, at most.
template <class T>
class FewOf {
 public:
  void add(const T& item) { items_[static_cast<std::size_t>(size_++)] = item; }
  bool empty() const { return size_ == 0; }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.begin() + size_; }
  auto begin() { return items_.begin(); }
  auto end() { return items_.begin() + size_; }

 private:
  std::array<T, read::variable_count> items_;
  std::ptrdiff_t size_ = 0;
};

// What is to be done to the entries of one container.
struct EnvChanges {
  struct Replaced {
    const read::EnvEntry* entry;
    const WantedVariable* by;
  };
  FewOf<Replaced> replaced;
  FewOf<std::uint32_t> removed;  // indices, from the back
  FewOf<const WantedVariable*> missing;
};

// Writes the operations that do it.
void write_changes(const ContainerEnv& env, const EnvChanges& changes, write::Patch& patch);

}  // namespace tpuwh::webhook::env
