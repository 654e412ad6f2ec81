// Whether a driver of claims has the chips of google.com/tpu, which no Pod says.
#include "base/names.hpp"
#include "kubectl/inspect/doctor/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tpuwh::server::doctor {

// docs/facts.md#dra-extended-resource, docs/facts.md#whose-value-wins
void check_driver(const View& view, Checks& out) {
  std::vector<std::string> names;
  for (const Json& each : view.device_classes.items)
    names.push_back(base::printable(name_of_object(each)));
  if (names.empty()) return;
  ok(out, "driver",
     fmt::format("DeviceClass {} gives google.com/tpu to a driver of claims, on nodes whose device "
                 "plugin has none: what the driver writes into a container replaces what is "
                 "injected, and `kubectl tpu audit` compares the two",
                 fmt::join(names, ", ")));
}

}  // namespace tpuwh::server::doctor
