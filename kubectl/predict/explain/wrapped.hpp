// What is said of objects that others hold or make: in the words and places of the files.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/wrappers/open.hpp"

#include <string>

namespace tpuwh::server::explain {

// "in AppWrapper default/a: spec.components[0].template", "made by TrainJob default/t of
// ClusterTrainingRuntime jax, in …"
std::string origin_words(const source::Origin& origin);

// Of an explanation of opened.objects:
//
//   workloads   begin their notes with where they come from; behind them, one for each wrapper of
//               which not everything is known
//   edits       of fixes name the object that a file holds, and the path in it. What no one place
//               of a file holds is a sentence instead
//   beside      also the wrappers, and the fields of these that nobody looks at
//   ns          of objects that name none
void tell_of_wrappers(const wrappers::Opened& opened, const std::string& ns,
                      Explanation& explanation);

}  // namespace tpuwh::server::explain
