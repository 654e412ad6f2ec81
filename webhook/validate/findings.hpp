// What is wrong with a workload object: all of it, in the order of the object.
#pragma once

#include "webhook/config/config.hpp"

#include <string>
#include <string_view>
#include <vector>
#include "webhook/findings/finding.hpp"

namespace tpuwh::webhook::validate {

using findings::Finding;
using findings::Level;

class Findings {
 public:
  struct Found {
    Finding finding;
    std::string sentence;
    bool operator==(const Found&) const = default;
  };

  // Levels are those that hold in the object's namespace.
  Findings(const config::Config& config, std::string_view ns) : config_(config), ns_(ns) {}

  // At the level of the finding, and at most at this one. A sentence is kept once.
  void add(Finding finding, std::string sentence, Level most = Level::deny);
  // What decide() found in a template, which has looked for the level itself.
  void add_decided(Finding finding, std::string sentence, Level level);

  // Makes a warning of each fault, because `why`.
  void soften(const std::string& why);
  // The same of those that `before` has word for word: what was wrong already must not
  // keep the rest of an object from being changed.
  void soften_old(const Findings& before, const std::string& why);

  // Refused for these; and these are said.
  const std::vector<Found>& faults() const { return faults_; }
  const std::vector<Found>& warnings() const { return warnings_; }

 private:
  const config::Config& config_;
  std::string_view ns_;
  std::vector<Found> faults_, warnings_;
};

// "(1) TPU-404: one; (2) TPU-401: another", or the only one as it is; at most 20 of them and how
// many there are: the API server logs and stores what it is told.
std::string joined(const std::vector<Findings::Found>& faults);

}  // namespace tpuwh::webhook::validate
