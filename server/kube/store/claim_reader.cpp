#include "server/kube/store/claim_reader.hpp"

#include "base/names.hpp"
#include "server/kube/store/device_selector.hpp"
#include "server/kube/store/parts.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tpuwh::server::kube::store {

namespace {

using base::json::Reader;
using base::json::ValueKind;
using webhook::read::Claimed;
using Known = Claimed::Known;

constexpr std::string_view tpu_class = "tpu.google.com";

// Devices of one class.
struct Devices {
  std::string device_class, mode;
  std::uint32_t count = 1;
  bool admin = false;
  SelectedChips selected;
};

bool read_count(Reader& in, std::uint32_t& out) {
  std::string_view text;
  if (in.kind() != ValueKind::number) return in.skip();
  if (!in.number(text)) return false;
  out = base::plain_decimal(text).value_or(1);
  return true;
}

bool read_selectors(Reader& in, SelectedChips& out) {
  std::string expression;
  return read_array(in, [&](std::size_t) {
    return read_object(in, [&](std::string_view selector) {
      if (selector != "cel") return in.skip();
      return read_object(in, [&](std::string_view key) {
        if (key != "expression") return in.skip();
        expression.clear();
        if (!read_text(in, expression)) return false;
        add_selected(expression, out);
        return true;
      });
    });
  });
}

bool read_member(Reader& in, std::string_view key, Devices& out) {
  if (key == "deviceClassName") return read_text(in, out.device_class);
  if (key == "allocationMode") return read_text(in, out.mode);
  if (key == "count") return read_count(in, out.count);
  if (key == "selectors") return read_selectors(in, out.selected);
  if (key == "adminAccess" && in.kind() == ValueKind::boolean) return in.boolean(out.admin);
  return in.skip();
}

Claimed claimed(Devices devices) {
  Claimed out{.known = Known::chips};
  if (devices.device_class != tpu_class || devices.admin) return out;
  if (devices.mode == "All" && !devices.selected.chip_count) return {};
  out.chips = devices.mode == "All" ? *devices.selected.chip_count : devices.count;
  out.accelerator = std::move(devices.selected.accelerator);
  out.topology = std::move(devices.selected.topology);
  return out;
}

// Of two that contradict each other neither is believed.
void keep_agreed(Claimed& one, const Claimed& other) {
  if (one.accelerator != other.accelerator) one.accelerator.clear();
  if (one.topology != other.topology) one.topology.clear();
}

// What both have, whichever it is.
Claimed common(Claimed one, const Claimed& other) {
  if (one.known != Known::chips || one.known != other.known || one.chips != other.chips) return {};
  one.alternatives = one.chips > 0;
  keep_agreed(one, other);
  return one;
}

// The chips of both; what they say of nodes where they agree.
Claimed together(Claimed one, const Claimed& other) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (one.known != Known::chips || other.known != Known::chips) return {};
  if (one.chips == 0) return other;
  if (other.chips == 0) return one;
  if (std::uint64_t{one.chips} + other.chips > most) return {};
  one.chips += other.chips;
  one.alternatives = one.alternatives || other.alternatives;
  keep_agreed(one, other);
  return one;
}

bool read_alternatives(Reader& in, Claimed& out) {
  std::optional<Claimed> all;
  const bool read = read_array(in, [&](std::size_t) {
    Devices devices;
    if (!read_object(in, [&](std::string_view key) { return read_member(in, key, devices); }))
      return false;
    Claimed one = claimed(std::move(devices));
    all = all ? common(*std::move(all), one) : std::move(one);
    return true;
  });
  out = all.value_or(Claimed());
  return read;
}

// v1 has under "exactly" what v1beta1 has beside the name.
bool read_request(Reader& in, Claimed& out) {
  Devices devices;
  std::optional<Claimed> alternatives;
  const bool read = read_object(in, [&](std::string_view key) {
    if (key == "exactly")
      return read_object(in,
                         [&](std::string_view inner) { return read_member(in, inner, devices); });
    if (key != "firstAvailable") return read_member(in, key, devices);
    if (in.take_null()) return true;
    return read_alternatives(in, alternatives.emplace());
  });
  out = alternatives ? *std::move(alternatives) : claimed(std::move(devices));
  return read;
}

}  // namespace

bool read_claim_spec(Reader& in, Claimed& out) {
  out = {.known = Known::chips};
  return read_object(in, [&](std::string_view part) {
    if (part != "devices") return in.skip();
    return read_object(in, [&](std::string_view key) {
      if (key != "requests") return in.skip();
      return read_array(in, [&](std::size_t) {
        Claimed one;
        if (!read_request(in, one)) return false;
        out = together(std::move(out), one);
        return true;
      });
    });
  });
}

}  // namespace tpuwh::server::kube::store
