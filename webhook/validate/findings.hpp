// What is wrong with a workload object: all of it, in the order of the object.
#pragma once

#include <string>
#include <vector>

namespace tpuwh::webhook::validate {

class Findings {
 public:
  // A slice that could never start: refused.
  void fault(std::string sentence) { add(faults_, std::move(sentence)); }
  // Anything less: said, and allowed. A sentence is kept once.
  void warn(std::string sentence) { add(warnings_, std::move(sentence)); }

  // Makes a warning of each fault, because `why`.
  void soften(const std::string& why);
  // The same of those that `before` has word for word: what was wrong already must not
  // keep the rest of an object from being changed.
  void soften_old(const Findings& before, const std::string& why);

  const std::vector<std::string>& faults() const { return faults_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  static void add(std::vector<std::string>& list, std::string sentence);

  std::vector<std::string> faults_, warnings_;
};

// "(1) one; (2) another", or the only one as it is; at most 20 of them and how many there
// are: the API server logs and stores what it is told.
std::string joined(const std::vector<std::string>& sentences);

}  // namespace tpuwh::webhook::validate
