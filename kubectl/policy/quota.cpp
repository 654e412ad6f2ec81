#include "kubectl/policy/quota.hpp"

#include "base/names.hpp"
#include "kubectl/text/near_miss.hpp"
#include "topology/accelerator.hpp"
#include "topology/catalog.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <set>

namespace tpuwh::server::policy {

namespace {

constexpr auto kueue_version = "kueue.x-k8s.io/v1beta2";
constexpr auto tpu = "google.com/tpu";
// Of DeviceClass tpu.google.com (docs/facts.md#dra).
constexpr auto claimed = "tpu.google.com.deviceclass.resource.k8s.io/devices";
constexpr auto accelerator_label = "cloud.google.com/gke-tpu-accelerator";
constexpr auto quota_name = "tpu";  // of the ResourceQuota and of the LocalQueue
constexpr auto any_flavor = "tpu";

Error expected(std::string_view what, std::string_view found, std::string_view hint = {}) {
  return bad_value(fmt::format("expected {}, got \"{}\"{}", what, base::printable(found), hint));
}

std::optional<Error> accelerator_fault(const std::string& label) {
  if (topology::find_generation(label) != nullptr) return std::nullopt;
  const auto* meant = topology::nearest_accelerator(label);
  // One that is not near any may be newer than the catalog.
  if (meant == nullptr && base::is_label_value(label)) return std::nullopt;
  return expected("an accelerator such as tpu-v6e-slice", label,
                  text::did_you_mean(meant == nullptr ? std::string_view() : meant->label));
}

// By accelerator; "" for any.
using Shares = std::map<std::string, std::int64_t>;

std::map<std::string, Shares> by_namespace(const std::vector<ShareOfTeam>& shares) {
  std::map<std::string, Shares> out;
  for (const ShareOfTeam& each : shares) out[each.ns][each.accelerator] += each.chips;
  return out;
}

std::string flavor_of(const std::string& accelerator) {
  return accelerator.empty() ? any_flavor : accelerator;
}

std::string queue_of(const std::string& ns) {
  return "tpu-" + ns;
}

Json resource_quota(const std::string& ns, const Shares& shares) {
  std::int64_t chips = 0;
  for (const auto& [accelerator, share] : shares) chips += share;
  const std::string hard = std::to_string(chips);
  Json all = Json::object();
  for (const std::string_view resource : webhook::read::chip_resources)
    all[fmt::format("requests.{}", resource)] = hard;
  all[claimed] = hard;
  return {{"apiVersion", "v1"},
          {"kind", "ResourceQuota"},
          {"metadata", {{"name", quota_name}, {"namespace", ns}}},
          {"spec", {{"hard", std::move(all)}}}};
}

Json resource_flavor(const std::string& accelerator) {
  Json spec = Json::object();
  if (!accelerator.empty()) spec["nodeLabels"] = {{accelerator_label, accelerator}};
  return {{"apiVersion", kueue_version},
          {"kind", "ResourceFlavor"},
          {"metadata", {{"name", flavor_of(accelerator)}}},
          {"spec", std::move(spec)}};
}

Json cluster_queue(const std::string& ns, const Shares& shares) {
  Json flavors = Json::array();
  for (const auto& [accelerator, chips] : shares) {
    const Json quota = {{"name", tpu}, {"nominalQuota", std::to_string(chips)}};
    flavors.push_back({{"name", flavor_of(accelerator)}, {"resources", Json::array({quota})}});
  }
  const Json group = {{"coveredResources", Json::array({tpu})}, {"flavors", std::move(flavors)}};
  return {{"apiVersion", kueue_version},
          {"kind", "ClusterQueue"},
          {"metadata", {{"name", queue_of(ns)}}},
          {"spec",
           {{"namespaceSelector", {{"matchLabels", {{"kubernetes.io/metadata.name", ns}}}}},
            {"queueingStrategy", "BestEffortFIFO"},
            {"resourceGroups", Json::array({group})}}}};
}

Json local_queue(const std::string& ns) {
  return {{"apiVersion", kueue_version},
          {"kind", "LocalQueue"},
          {"metadata", {{"name", quota_name}, {"namespace", ns}}},
          {"spec", {{"clusterQueue", queue_of(ns)}}}};
}

}  // namespace

Result<ShareOfTeam> parse_share(std::string_view text) {
  const auto equals = text.find('='), comma = text.find(',');
  if (equals == std::string_view::npos)
    return expected("NAMESPACE=CHIPS or NAMESPACE=CHIPS,ACCELERATOR", text);
  ShareOfTeam out{.ns = std::string(text.substr(0, equals))};
  if (!base::is_dns_label(out.ns)) return expected("the name of a namespace", out.ns);
  const bool named = comma != std::string_view::npos && comma > equals;
  const std::string_view number =
      text.substr(equals + 1, named ? comma - equals - 1 : std::string_view::npos);
  const auto chips = base::plain_decimal(number);
  if (!chips) return expected("a number of chips", number);
  out.chips = *chips;
  if (!named) return out;
  out.accelerator = std::string(text.substr(comma + 1));
  if (auto fault = accelerator_fault(out.accelerator)) return *std::move(fault);
  return out;
}

std::string contradiction(const std::vector<ShareOfTeam>& shares) {
  std::map<std::string, std::set<std::string>> seen;
  for (const ShareOfTeam& each : shares) {
    auto& accelerators = seen[each.ns];
    if (!accelerators.insert(each.accelerator).second)
      return fmt::format("namespace {} is given {} twice", each.ns,
                         each.accelerator.empty() ? "chips" : "chips of " + each.accelerator);
    if (accelerators.size() > 1 && accelerators.contains(""))
      return fmt::format(
          "namespace {} is given chips of any accelerator, and of {}; name one for each number, or "
          "for none",
          each.ns, *accelerators.rbegin());
  }
  return {};
}

std::vector<Json> quota_objects(const std::vector<ShareOfTeam>& shares, QuotaOf of) {
  const auto teams = by_namespace(shares);
  std::vector<Json> out;
  if (of != QuotaOf::kueue)
    for (const auto& [ns, each] : teams) out.push_back(resource_quota(ns, each));
  if (of == QuotaOf::kubernetes) return out;
  std::set<std::string> accelerators;
  for (const ShareOfTeam& each : shares) accelerators.insert(each.accelerator);
  for (const std::string& each : accelerators) out.push_back(resource_flavor(each));
  for (const auto& [ns, each] : teams) out.push_back(cluster_queue(ns, each));
  for (const auto& [ns, each] : teams) out.push_back(local_queue(ns));
  return out;
}

}  // namespace tpuwh::server::policy
