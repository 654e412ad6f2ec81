// `slices --by`: what a cluster holds, counted instead of listed.
#pragma once

#include "kubectl/inspect/slices/prices.hpp"
#include "kubectl/inspect/slices/slice_report.hpp"
#include "kubectl/inspect/source/object_source.hpp"
#include "kubectl/text/console.hpp"
#include "webhook/config/config.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::slices {

struct CountBy {
  std::string label = {};   // the key of a label of the Pods; "": their namespace
  std::string prices = {};  // a file (prices.hpp); "" for none
};

class Counting {
 public:
  // Reads the prices. Nothing where that cannot be done: what is wrong is printed on err.
  static std::optional<Counting> begin(const CountBy& by, const text::Console& console);

  // read_cluster(), and the labels of the Pods as they are then.
  Result<Cluster> read(source::ObjectSource& objects, const webhook::config::Config& config);

  text::Printed text(const Cluster& cluster, const std::vector<SliceReport>& slices,
                     bool colour) const;
  text::Printed json(const Cluster& cluster, const std::vector<SliceReport>& slices) const;

 private:
  explicit Counting(std::string label) : label_(std::move(label)) {}

  std::optional<std::string> value_of(const SeenPod& pod) const;
  void take_label(const Json& pod);
  const Prices* prices() const { return prices_ ? &*prices_ : nullptr; }

  std::string label_;
  std::optional<Prices> prices_;
  std::map<std::pair<std::string, std::string>, std::string> values_;  // by namespace and Pod
};

}  // namespace tpuwh::server::slices
