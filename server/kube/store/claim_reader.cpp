#include "server/kube/store/claim_reader.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"
#include "server/kube/store/parts.hpp"
#include "webhook/read/vocabulary.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tpuwh::server::kube::store {

namespace {

using base::json::Reader;
using base::json::ValueKind;
using webhook::read::Claimed;
using Known = Claimed::Known;

using webhook::read::key::tpu_class;

// No API server takes more requests of a claim, or alternatives of a request
// (DeviceRequestsMaxSize, FirstAvailableDeviceRequestMaxSize of k8s.io/api/resource/v1).
constexpr std::size_t max_requests = 32, max_alternatives = 8;

bool read_count(Reader& in, std::uint32_t& out) {
  std::string_view text;
  if (in.kind() != ValueKind::number) return in.skip();
  if (!in.number(text)) return false;
  out = base::plain_decimal(text).value_or(1);
  return true;
}

bool read_mode(Reader& in, bool& all) {
  std::string mode;
  if (!read_text(in, mode)) return false;
  all = mode == "All";
  return true;
}

bool read_member(Reader& in, std::string_view key, DeviceRequest& out) {
  if (key == "deviceClassName") return read_text(in, out.device_class);
  if (key == "allocationMode") return read_mode(in, out.all);
  if (key == "count") return read_count(in, out.count);
  if (key == "selectors") return read_selectors(in, out.selected);
  if (key == "adminAccess" && in.kind() == ValueKind::boolean) return in.boolean(out.admin);
  return in.skip();
}

bool read_alternatives(Reader& in, std::vector<DeviceRequest>& out) {
  return read_array(in, [&](std::size_t i) {
    if (i == max_alternatives) return in.fail(base::Errc::bad_value, "more than 8 alternatives");
    DeviceRequest& one = out.emplace_back();
    return read_object(in, [&](std::string_view key) { return read_member(in, key, one); });
  });
}

// v1 has under "exactly" what v1beta1 has beside the name.
bool read_request(Reader& in, std::vector<DeviceRequest>& out) {
  DeviceRequest exactly;
  bool several = false;
  const bool read = read_object(in, [&](std::string_view key) {
    if (key == "exactly")
      return read_object(in,
                         [&](std::string_view inner) { return read_member(in, inner, exactly); });
    if (key != "firstAvailable") return read_member(in, key, exactly);
    if (in.take_null()) return true;
    several = true;
    return read_alternatives(in, out);
  });
  if (!several) out.push_back(std::move(exactly));
  return read;
}

// ---- what it asks for

Claimed other_devices() {
  return {.known = Known::chips};
}

Claimed not_counted(std::string why) {
  return {.known = Known::no, .why = std::move(why)};
}

Claimed class_not_read(const DeviceRequest& request, std::string_view what) {
  Claimed out = other_devices();
  out.why = base::concat(
      {"asks for devices of DeviceClass ", base::printable(request.device_class), ", ", what});
  return out;
}

Claimed chips_of(const DeviceRequest& request, const SelectedChips& of_class) {
  Claimed out{.known = Known::chips};
  const SelectedChips& own = request.selected;
  const auto of_node = own.chip_count ? own.chip_count : of_class.chip_count;
  out.all = request.all && !of_node;
  if (!out.all) out.chips = request.all ? *of_node : request.count;
  out.accelerator = own.accelerator.empty() ? of_class.accelerator : own.accelerator;
  out.topology = own.topology.empty() ? of_class.topology : own.topology;
  return out;
}

Claimed asked_by_request(const DeviceRequest& request, const FindClass& find_class) {
  static const SelectedChips nothing;
  if (request.admin) return other_devices();
  if (request.device_class == tpu_class) return chips_of(request, nothing);
  const SelectedChips* of_class = find_class(request.device_class);
  if (request.selected.of_driver || (of_class != nullptr && of_class->of_driver))
    return chips_of(request, of_class == nullptr ? nothing : *of_class);
  if (of_class == nullptr) return class_not_read(request, "which is not known");
  if (of_class->names_driver || request.selected.names_driver)
    return class_not_read(request, "whose selectors name tpu.google.com in a way that is not read");
  return other_devices();
}

// Of two that contradict each other neither is believed.
void keep_agreed(Claimed& one, const Claimed& other) {
  if (one.accelerator != other.accelerator) one.accelerator.clear();
  if (one.topology != other.topology) one.topology.clear();
}

bool is_for_chips(const Claimed& claimed) {
  return claimed.known != Known::chips || claimed.chips > 0 || claimed.all;
}

// What both have, whichever it is.
Claimed common(Claimed one, const Claimed& other) {
  if (one.known != Known::chips || one.known != other.known || one.chips != other.chips ||
      one.all != other.all)
    return not_counted(
        "asks for the first available of several that have not the same number of chips");
  one.alternatives = is_for_chips(one);
  keep_agreed(one, other);
  return one;
}

// The chips of both; what they say of nodes where they agree.
Claimed together(Claimed one, const Claimed& other) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (!is_for_chips(other)) {
    if (one.why.empty()) one.why = other.why;
    return one;
  }
  if (!is_for_chips(one)) return other;
  if (one.known != Known::chips) return one;
  if (other.known != Known::chips) return other;
  if (one.all || other.all)
    return not_counted("asks for all chips of a node and for others beside them");
  if (std::uint64_t{one.chips} + other.chips > most)
    return not_counted("asks for more chips than there are");
  one.chips += other.chips;
  one.alternatives = one.alternatives || other.alternatives;
  keep_agreed(one, other);
  return one;
}

}  // namespace

bool read_claim_spec(Reader& in, ClaimSpec& out) {
  out.clear();
  return read_object(in, [&](std::string_view part) {
    if (part != "devices") return in.skip();
    return read_object(in, [&](std::string_view key) {
      if (key != "requests") return in.skip();
      return read_array(in, [&](std::size_t i) {
        if (i == max_requests) return in.fail(base::Errc::bad_value, "more than 32 requests");
        return read_request(in, out.emplace_back());
      });
    });
  });
}

Claimed asked_by(const ClaimSpec& spec, const FindClass& find_class) {
  Claimed out = other_devices();
  for (const auto& alternatives : spec) {
    std::optional<Claimed> one;
    for (const DeviceRequest& each : alternatives) {
      Claimed asked = asked_by_request(each, find_class);
      one = one ? common(*std::move(one), asked) : std::move(asked);
    }
    out = together(std::move(out), one.value_or(Claimed()));
  }
  if (is_for_chips(out) && out.known == Known::chips) out.why.clear();
  return out;
}

bool depends_on_classes(const ClaimSpec& spec) {
  return std::ranges::any_of(spec, [](const auto& alternatives) {
    return std::ranges::any_of(
        alternatives, [](const DeviceRequest& each) { return each.device_class != tpu_class; });
  });
}

}  // namespace tpuwh::server::kube::store
