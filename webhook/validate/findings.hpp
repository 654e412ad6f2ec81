// What is wrong with a workload object: all of it, in the order of the object.
#pragma once

#include "webhook/config/config.hpp"

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <set>
#include <string>
#include <string_view>
#include <vector>
#include "webhook/findings/finding.hpp"
#include "webhook/rules/judge.hpp"

namespace tpuwh::webhook::validate {

using findings::Finding;
using findings::Level;

struct Found {
  Finding finding;
  std::string sentence;
};

// What was found, each once, in the order in which it was found. An object may have as many
// templates as its text holds, and each says something of its own: none is compared with all
// others.
class FoundList {
 public:
  FoundList() = default;
  FoundList(FoundList&&) = default;
  FoundList& operator=(FoundList&&) = default;

  void add(Found found);
  void add_in_front(Found found);
  bool contains(Finding finding) const;

  bool empty() const { return order_.empty(); }
  std::size_t size() const { return order_.size(); }
  const Found& operator[](std::size_t i) const { return *order_[i]; }

  // A hash says soon which of two comes first. By itself it would be a stranger's, whose names the
  // sentences hold: those that it does not tell apart are compared.
  struct Kept : Found {
    explicit Kept(Found found);
    bool operator<(const Kept& other) const;
    std::size_t hash;
  };
  const std::vector<const Kept*>& in_order() const { return order_; }
  bool contains(const Kept& found) const { return all_ && all_->set.contains(found); }
  // Those of which `left` says so; the others leave, each given to `gone` before.
  template <class Left, class Gone>
  void keep_if(Left&& left, Gone&& gone);

 private:
  // With a memory of its own, which is given back in one piece.
  struct All {
    std::pmr::monotonic_buffer_resource memory;
    std::pmr::set<Kept> set{&memory};
  };
  // Null where it was there.
  const Kept* put(Found found);

  std::unique_ptr<All> all_;
  std::vector<const Kept*> order_;  // into all_
};

template <class Left, class Gone>
void FoundList::keep_if(Left&& left, Gone&& gone) {
  std::erase_if(order_, [&](const Kept* found) {
    if (left(*found)) return false;
    gone(*found);
    all_->set.erase(*found);
    return true;
  });
}

class Findings {
 public:
  // Levels are those that hold in the object's namespace.
  Findings(const config::Config& config, std::string_view ns) : config_(config), ns_(ns) {}

  // At the level of the finding, and at most at this one. A sentence is kept once.
  void add(Finding finding, std::string sentence, Level most = Level::deny);
  // What decide() found in a template, which has looked for the level itself.
  void add_decided(Finding finding, std::string sentence, Level level);
  // add() of what concerns all of the object: told before the rest, of which only the first is
  // told.
  void add_in_front(Finding finding, std::string sentence);

  // Holds what the object asks for against the rule of its namespace.
  void judge(const rules::Rules& rules, const rules::AskedObject& object);
  // What is broken, not added yet: what of it is a fault depends on the object before the update.
  const std::vector<rules::Broken>& broken() const { return broken_; }
  // Returns the rule against which the object was held, and the result: "dev: kept",
  // "dev: TPU-654, TPU-656", "dev: not all judged"; "" for an object that asks for no chips, and if
  // there are no rules.
  const std::string& judgement() const { return judgement_; }

  // Makes a warning of each fault, because `why`.
  void soften(const std::string& why);
  // The same of those that `before` has word for word, whether it was told or not: what was wrong
  // already must not keep the rest of an object from being changed.
  void soften_old(const Findings& before, const std::string& why);

  // Refused for these; and these are said.
  const FoundList& faults() const { return faults_; }
  const FoundList& warnings() const { return warnings_; }

 private:
  FoundList& list_of(Level level) { return level == Level::deny ? faults_ : warnings_; }

  const config::Config& config_;
  std::string_view ns_;
  FoundList faults_, warnings_;
  std::vector<rules::Broken> broken_;
  std::string judgement_;
};

// Of either list so many are told: the API server logs and stores what it is told, and the first
// ones say enough.
inline constexpr std::size_t max_told = 20;
// A count for people: "26,980".
std::string with_commas(std::size_t count);
// How many are not told: "and 26,980 more".
std::string and_more(std::size_t count);

// "(1) TPU-404: one; (2) TPU-401: another", or the only one as it is; at most max_told of them and
// how many more there are.
std::string joined(const FoundList& faults);

}  // namespace tpuwh::webhook::validate
