// The objects of an input as their controllers see them: what stands in a wrapper, and what is made
// of one, in its place.
#pragma once

#include "kubectl/predict/wrappers/wrapper.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tpuwh::server::wrappers {

// Of all objects together that are made, as JSON: four times what files may hold. A thousand
// TrainJobs may share one runtime of a megabyte.
inline constexpr std::size_t max_made_bytes = 4 * source::max_manifest_bytes;

// A wrapper of which not everything could be taken or made.
struct Unopened {
  std::string file, kind, ns, name;
  std::vector<Fault> faults;
};

struct Opened {
  std::vector<source::Manifest> objects;  // in the order of the input
  std::vector<source::Manifest> holders;  // what was opened, without what it held; runtimes
  std::vector<Unopened> unopened;
};

// Whether there is anything to open.
bool holds_wrappers(std::span<const source::Manifest> manifests, std::span<const Wrapper> own);

//   own     the kinds of a user
//   ns      of objects that name none; a child without one has that of what it is in
//   queue   a child without one has Kueue's queue of what it is in: Kueue admits the whole
//   depth   a wrapper in a wrapper is opened as well: no deeper than files are read, 64 levels
Opened open(std::span<const source::Manifest> manifests, std::span<const Wrapper> own,
            const std::string& ns);

}  // namespace tpuwh::server::wrappers
