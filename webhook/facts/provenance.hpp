// The annotation <prefix>injected: which variables of which container are ours
// (docs/decisions/0013).
//
//   v1;<inputs>;<container>:<VARIABLE>=<digest>,…;<container>:…
//
// inputs is the digest of what the values were computed from, digest that of the
// value we wrote; 8 hex digits each. A variable whose digest no longer fits was
// changed by somebody and is theirs. What does not parse is as good as absent.
#pragma once

#include "base/buffer.hpp"
#include "base/hash.hpp"
#include "webhook/read/vocabulary.hpp"

#include <string_view>
#include <vector>

namespace tpuwh::webhook::facts {

class Provenance {
 public:
  void clear();
  // Views into `annotation`.
  void parse(std::string_view annotation);

  void set_inputs(const base::Digest& inputs);
  bool has_inputs(const base::Digest& inputs) const {
    return parsed_ && inputs_ == base::view(inputs);
  }
  // Another version wrote it in a form we do not know: leave everything alone.
  bool foreign() const { return foreign_; }
  bool empty() const { return entries_.empty(); }
  // There was a record, though it may say that nothing is ours.
  bool parsed() const { return parsed_; }

  void record(std::string_view container, read::Variable variable, std::string_view value);
  void record(std::string_view container, read::Variable variable, const base::Digest& digest);

  struct Entry {
    std::string_view container;
    read::Variable variable;
    base::Digest digest;
  };
  const Entry* find(std::string_view container, read::Variable variable) const;
  const std::vector<Entry>& entries() const { return entries_; }

  void append_to(base::Buffer& out) const;

 private:
  std::vector<Entry> entries_;
  std::string_view inputs_;
  base::Digest own_inputs_{};
  bool parsed_ = false;
  bool foreign_ = false;
};

}  // namespace tpuwh::webhook::facts
