// Which objects of an input are told as one.
#pragma once

#include "kubectl/inspect/source/manifests.hpp"

#include <span>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

// Those of an input that make Pods, each by itself, in its order; but Pods of nobody which say by
// annotation `hostnames` that they are the hosts of one slice stand with the first of them.
//
//   ns      of objects that name none
//   prefix  Config::prefix
using Together = std::vector<const source::Manifest*>;
std::vector<Together> told_together(std::span<const source::Manifest> manifests,
                                    const std::string& ns, const std::string& prefix);

}  // namespace tpuwh::server::explain
