#include "kubectl/inspect/doctor/cost.hpp"

#include "base/counted.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace tpuwh::server::doctor {

namespace {

// The scheduler's CPU for a Pod, in ms. source: bench/RESULTS.md, "What placement costs the
// scheduler", kube-scheduler 1.37.2, 2026-11-27 and 28
struct Measured {
  double nodes, selector, terms;
};
constexpr Measured measured[] = {
    {100, 1.6, 2.4}, {1000, 4.2, 10.3}, {3000, 12.1, 24.1}, {15000, 66.6, 102.6}};

// Between the two sizes around it, or by the last two.
double at(double nodes, double Measured::*of) {
  const Measured* high = std::begin(measured) + 1;
  while (high + 1 != std::end(measured) && nodes > high->nodes) ++high;
  const Measured& low = *(high - 1);
  if (nodes <= low.nodes) return low.*of;
  return low.*of + (high->*of - low.*of) * (nodes - low.nodes) / (high->nodes - low.nodes);
}

// source: bench/RESULTS.md, "What a server keeps of its cluster": through what was resident with
// 100 to 60,000 Pods and 100 to 15,000 Nodes
double megabytes(const ClusterSize& size) {
  constexpr double idle = 14, pod = 650e-6, node = 100e-6;
  return idle + pod * static_cast<double>(size.pods) + node * static_cast<double>(size.nodes);
}

}  // namespace

std::string cost_of(const ClusterSize& size) {
  const auto nodes = static_cast<double>(size.nodes);
  return fmt::format(
      "{}, {}: by measurements elsewhere the scheduler spends about {:.0f} ms of CPU on each new "
      "member of a slice of several hosts ({:.0f} with a node selector by hand), the API server "
      "about 2 ms more on each TPU Pod and none that can be told on any other; {:.0f} MB of memory "
      "a replica",
      base::counted(size.nodes, "TPU node"), base::counted(size.pods, "TPU Pod"),
      at(nodes, &Measured::terms), at(nodes, &Measured::selector), std::ceil(megabytes(size)));
}

}  // namespace tpuwh::server::doctor
