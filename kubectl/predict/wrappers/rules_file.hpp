// Kinds of a user's own, described in a file: `explain --rules FILE`, docs/wrappers.md.
#pragma once

#include "kubectl/predict/wrappers/wrapper.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tpuwh::server::wrappers {

// Of rules in a file, and of paths in a rule.
inline constexpr std::size_t most_rules = 256, most_paths = 32;

struct RulesFile {
  std::vector<Wrapper> wrappers;
  std::vector<std::string> problems;  // all of them: "company.yaml:3: wrappers[0].kind: is missing"
};

// YAML or JSON:
//
//   wrappers:
//   - apiVersion: ml.example.com/v1    # its group; of any version
//     kind: TrainingRun
//     children:                        # whole objects
//     - spec.jobs[*].template
//   - apiVersion: ml.example.com/v1
//     kind: HostGroup
//     pods:                            # Pod templates
//     - template: spec.template
//       count: spec.hosts              # a path, or a number; 1 where it is missing
//       as: Job                        # Pod (also where it is missing), or Job: an Indexed one
//
//   file  as a person calls it
RulesFile read_rules(const std::string& text, const std::string& file);

}  // namespace tpuwh::server::wrappers
