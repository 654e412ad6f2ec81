#include "kubectl/predict/explain/network_text.hpp"

#include "kubectl/predict/network/policy_object.hpp"
#include "kubectl/text/yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace tpuwh::server::explain {

namespace {

constexpr auto introduction =
    "# Each NetworkPolicy admits the ports of a slice between its Pods. A Pod that one selects\n"
    "# receives nothing else: admit clients of a server, and ports that a program opens besides, "
    "by\n"
    "# further NetworkPolicies. What Pods send is not limited.\n";

// "8471 (libtpu's default), 8482 (JAX's coordinator)"
std::string opened_words(const network::Network& network) {
  if (network.all_ports) return "all ports between Pods of the RayCluster: Ray chooses them";
  std::vector<std::string> ports;
  for (const auto& [port, use] : network.open.ports)
    ports.push_back(fmt::format("{} ({})", port, use.of));
  return fmt::format("{}", fmt::join(ports, ", "));
}

// Names of one namespace differ.
class Names {
 public:
  std::string of(const network::Network& network) {
    std::string name = network.name;
    for (int number = 2; !used_.insert({network.ns, name}).second; ++number)
      name = fmt::format("{}-{}", network.name, number);
    return name;
  }

 private:
  std::set<std::pair<std::string, std::string>> used_;
};

text::Printed document(network::Network network, const Workload& workload, Names& names) {
  network.name = names.of(network);
  text::Printed out = text::printed("---\n# {} {}/{}: {}\n", workload.kind, workload.ns,
                                    workload.name, opened_words(network));
  for (const std::string& each : network.open.not_known)
    out += text::printed("# not known: the ports of {}, which have to be added\n", each);
  return out + text::printed_lines(text::to_yaml(network::policy_object(network)));
}

text::Printed why_none(const Workload& workload, std::string_view why) {
  return text::printed("# {} {}/{} has no NetworkPolicy: {}\n", workload.kind, workload.ns,
                       workload.name, why);
}

}  // namespace

text::Printed network_text(const Explanation& explanation) {
  text::Printed documents, without;
  Names names;
  for (const Workload& workload : explanation.workloads) {
    for (const network::Network& each : workload.networks)
      if (network::has_ports(each))
        documents += document(each, workload, names);
      else
        without += why_none(workload, "its ports are not known");
    for (const std::string& why : workload.without_network) without += why_none(workload, why);
  }
  if (documents.empty() && without.empty())
    return text::Printed("# no Pod belongs to a slice of several hosts, or to several slices\n");
  return documents.empty() ? without : text::Printed(introduction) + without + documents;
}

}  // namespace tpuwh::server::explain
