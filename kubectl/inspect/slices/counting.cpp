#include "kubectl/inspect/slices/counting.hpp"

#include "kubectl/inspect/slices/cluster_reader.hpp"
#include "kubectl/inspect/slices/print_tally.hpp"
#include "kubectl/inspect/slices/tally.hpp"
#include "kubectl/text/json_line.hpp"
#include "server/text/json_text.hpp"
#include "server/text/read_file.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tpuwh::server::slices {

std::optional<Counting> Counting::begin(const CountBy& by, const text::Console& console) {
  Counting out(by.label);
  if (by.prices.empty()) return out;
  const auto bytes = text::read_file(by.prices, text::max_small_bytes);
  if (!bytes) {
    text::print_error(console, fmt::format("--prices: {}: {}", by.prices, bytes.error().text()));
    return std::nullopt;
  }
  PricesFile read = read_prices(*bytes, by.prices);
  for (const std::string& each : read.problems) text::print_error(console, each);
  if (!read.problems.empty()) return std::nullopt;
  out.prices_ = std::move(read.prices);
  return out;
}

void Counting::take_label(const Json& pod) {
  const auto& metadata = text::member(pod, "metadata");
  const auto* value = text::find_member(text::member(metadata, "labels"), label_);
  if (value != nullptr && value->is_string())
    values_[{text::text_member(metadata, "namespace"), text::text_member(metadata, "name")}] =
        value->get<std::string>();
}

Result<Cluster> Counting::read(source::ObjectSource& objects,
                               const webhook::config::Config& config) {
  if (label_.empty()) return read_cluster(objects, config);
  values_.clear();
  return read_cluster(objects, config, [&](std::string_view kind, const auto& object) {
    if (kind == "Pod") take_label(object);
  });
}

std::optional<std::string> Counting::value_of(const SeenPod& pod) const {
  if (label_.empty()) return pod.ns;
  const auto found = values_.find({pod.ns, pod.name});
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

text::Printed Counting::text(const Cluster& cluster, const std::vector<SliceReport>& slices,
                             bool colour) const {
  const Tally tally = tally_of(cluster, slices, [&](const SeenPod& pod) { return value_of(pod); });
  return tally_text({cluster, tally, label_, prices()}, colour);
}

text::Printed Counting::json(const Cluster& cluster, const std::vector<SliceReport>& slices) const {
  const Tally tally = tally_of(cluster, slices, [&](const SeenPod& pod) { return value_of(pod); });
  return text::json_line(tally_json({cluster, tally, label_, prices()}));
}

}  // namespace tpuwh::server::slices
