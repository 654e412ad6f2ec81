// All findings of a workload object, in the order in which its parts are checked.
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

namespace tpuwh::webhook::validate {

using findings::Finding;
using findings::Level;

struct Found {
  Finding finding;
  std::string sentence;
};

// A list of findings without duplicates, in the order in which they were added. Duplicates are
// found with a set, because an object can have very many templates, each with findings of its own,
// and a comparison with all earlier findings would be slow.
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
  // Adds a finding with this level, which was already determined, for example by decide(). The
  // configured level is not read.
  void add_decided(Finding finding, std::string sentence, Level level);
  // Adds a finding about the whole object in front of all others, because only the first max_told
  // findings are reported.
  void add_in_front(Finding finding, std::string sentence);

  // Makes a warning of each fault, because `why`.
  void soften(const std::string& why);
  // Turns each fault that is also in `before`, the findings before an update, into a warning that
  // begins with `why`. Otherwise an old fault would prevent other changes of the object.
  // All faults of `before` count, also those beyond max_told.
  void soften_old(const Findings& before, const std::string& why);

  // Refused for these; and these are said.
  const FoundList& faults() const { return faults_; }
  const FoundList& warnings() const { return warnings_; }

 private:
  FoundList& list_of(Level level) { return level == Level::deny ? faults_ : warnings_; }

  const config::Config& config_;
  std::string_view ns_;
  FoundList faults_, warnings_;
};

// At most this many faults and at most this many warnings are reported, because the API server logs
// and stores each of them, and a user needs only the first ones.
inline constexpr std::size_t max_told = 20;
// A count for people: "26,980".
std::string with_commas(std::size_t count);
// Returns a text with the number of findings that are not reported: "and 26,980 more".
std::string and_more(std::size_t count);

// "(1) TPU-404: one; (2) TPU-401: another", or the only one as it is; at most max_told of them and
// how many more there are.
std::string joined(const FoundList& faults);

}  // namespace tpuwh::webhook::validate
