#include "kubectl/reference/rules/entries.hpp"

#include "server/text/json.hpp"
#include "webhook/read/vocabulary.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <string_view>

namespace tpuwh::server::rules {

namespace {

using webhook::config::Config;
using webhook::config::Mode;
using webhook::workloads::Workload;

// An error in an expression would refuse a Pod, so every field that may be absent is guarded. The
// API server leaves out what is empty, but containers, which it sends as null; such a Pod is
// refused later with a better sentence.
//
// No loop is longer than 500: the API server's cost accounting makes one of n turns take n² time
// (cel-go 0.26, 20,000 annotations: 1.4 s). Such a Pod is sent, and read in less.
constexpr std::string_view asks_for_tpu =
    R"([object.spec.containers != null ? object.spec.containers : [],
 has(object.spec.initContainers) ? object.spec.initContainers : []].exists(list,
  list.size() > 500 || list.exists(c, has(c.resources) &&
    (has(c.resources.limits) && {} ||
     has(c.resources.requests) && {}))))";

// The condition for Pods with resource claims, or with resources for which Kubernetes makes claims
// if a DeviceClass defines the resource. Such a resource is named after the class, or is any
// extended resource of a Pod for TPU nodes.
constexpr std::string_view has_claims =
    R"((has(object.spec.resourceClaims) ||
 [object.spec.containers != null ? object.spec.containers : [],
  has(object.spec.initContainers) ? object.spec.initContainers : []].exists(list,
  list.size() > 50 || list.exists(c, has(c.resources) && has(c.resources.limits) &&
    (c.resources.limits.size() > 20 || c.resources.limits.exists(name, name.startsWith('{}') ||
      name.contains('/') && has(object.spec.nodeSelector) && '{}' in object.spec.nodeSelector))))))";

// Sources: GKE documentation, "Run GPUs in GKE Standard node pools"; k8s-device-plugin v0.17.1,
// docs/gpu-feature-discovery (read 2026-11).
constexpr std::string_view selects_gpus =
    R"((has(object.spec.nodeSelector) &&
  ('cloud.google.com/gke-accelerator' in object.spec.nodeSelector ||
   'nvidia.com/gpu.present' in object.spec.nodeSelector ||
   'nvidia.com/gpu.product' in object.spec.nodeSelector)))";

constexpr std::string_view annotated =
    R"(has(object.metadata.annotations) && (object.metadata.annotations.size() > 500 ||
  object.metadata.annotations.exists(key, key.startsWith('{}'))))";

// A list of one is how CEL gives a value a name.
constexpr std::string_view with_labels =
    R"([object.metadata.?labels.orValue({{}})].exists(labels,
{}))";

// Its controller, else the first of its owners, as webhook/read reads them.
constexpr std::string_view with_owner =
    R"([object.metadata.?ownerReferences.orValue([])].exists(owners,
[owners.size() == 0 || owners.size() > 500 ? '' :
 owners.exists(o, o.?controller.orValue(false)) ?
 owners.filter(o, o.?controller.orValue(false))[0].kind : owners[0].kind].exists(owner_kind,
{})))";

// Where `labels` and `owner_kind` stand for those of the Pod.
std::string of_pod(const std::string& condition) {
  const bool asks_owner = condition.find("owner_kind") != std::string::npos;
  return fmt::format(with_labels, asks_owner ? fmt::format(with_owner, condition) : condition);
}

std::string indented(std::string_view text, std::string_view by) {
  std::string out;
  for (const auto line : std::views::split(text, '\n'))
    out += fmt::format("{}{}\n", by, std::string_view(line.begin(), line.end()));
  return out;
}

constexpr std::string_view of_pods = "pods.tpu-webhook.dev";

std::string entry_name(const Workload& workload) {
  const bool rest = &workload == &webhook::workloads::workloads().back();
  return rest ? std::string(of_pods) : fmt::format("{}.{}", workload.name, of_pods);
}

std::vector<std::string> names_of(const std::vector<const Workload*>& all) {
  std::vector<std::string> out;
  for (const Workload* each : all) out.emplace_back(each->name);
  return out;
}

// The workload APIs by their modes, and the entries that follow.
class Plan {
 public:
  explicit Plan(const Config& config) : config_(config), is_(conditions(config.prefix)) {
    for (const OfWorkload& each : rules::of_workloads()) of_.push_back(each.expression);
    for (const Workload& each : webhook::workloads::workloads())
      if (const auto mode = mode_of(each)) most_ = *mode;
    for (const Workload& each : webhook::workloads::workloads()) {
      const auto mode = mode_of(each);
      const bool keyed = !each.label_key.empty();
      if (!mode)
        left_out_.push_back(&each);
      else if (mode != most_)
        (keyed ? others_ : unkeyed_others_).push_back(&each);
      else
        (keyed ? with_key_ : without_key_).push_back(&each);
    }
  }

  std::vector<Entry> entries() const {
    std::vector<Entry> out;
    std::vector<std::string> before;  // keys of entries so far that take whoever has them
    const Workload& last = webhook::workloads::workloads().back();
    for (const Workload& each : webhook::workloads::workloads()) {
      Entry entry{.name = entry_name(each), .condition = std::string(each.name), .expression = {}};
      if (&each == &last) {
        rest(entry, before);
      } else if (has(with_key_, each)) {
        of_most(entry, {&each});
        entry.present = {std::string(each.label_key)};
        entry.absent = before;
        before.emplace_back(each.label_key);
      } else if (has(others_, each)) {
        entry.expression = fmt::format("{} &&\n{}", asks(), of(each));
        entry.present = {std::string(each.label_key)};
        entry.mode = mode_of(each);
        entry.workloads = {std::string(each.name)};
        entry.claims = claims_ask();
      } else if (!unkeyed_others_.empty() && unkeyed_others_.front() == &each) {
        of_unkeyed_others(entry);
      } else {
        entry.expression = fmt::format("{} &&\n{}", is_.asks_for_tpu, of(each));
      }
      out.push_back(std::move(entry));
    }
    out.push_back(of_claims());
    return out;
  }

  // Pods of workload APIs that are handled. Whoever only watches sees GPUs' claims, too.
  std::string any() const {
    return unless_left_out(
        fmt::format("{} ||\n{} ||\n{}", is_.asks_for_tpu, is_.has_claims, is_.annotated));
  }

 private:
  using Some = std::vector<const Workload*>;

  std::optional<Mode> mode_of(const Workload& each) const {
    return config_.workloads.has(each.kind) ? std::optional(config_.mode_for(each.kind))
                                            : std::nullopt;
  }

  static bool has(const Some& all, const Workload& each) {
    return std::ranges::find(all, &each) != all.end();
  }

  const std::string& of(const Workload& each) const {
    return of_[static_cast<std::size_t>(&each - webhook::workloads::workloads().data())];
  }

  std::string none_of(const Some& all) const {
    std::string out;
    for (const Workload* each : all)
      out += fmt::format("{}!{}", out.empty() ? "" : " &&\n", of(*each));
    return out;
  }

  std::string unless_left_out(const std::string& condition) const {
    if (left_out_.empty()) return condition;
    return fmt::format("({}) &&\n{}", condition, none_of(left_out_));
  }

  bool of_one_mode() const { return others_.empty() && unkeyed_others_.empty(); }

  // Where claims are read and modes differ, whoever asks by claim is where whoever asks for TPUs
  // is.
  bool claims_ask() const { return config_.claims && !of_one_mode(); }
  std::string asks() const {
    if (!claims_ask()) return is_.asks_for_tpu;
    return fmt::format("({} ||\n{} && !{})", is_.asks_for_tpu, is_.has_claims, is_.selects_gpus);
  }

  // Where claims are not read, nobody has to wait for Pods with claims alone, which are never
  // changed.
  bool claims_in_most() const { return most_ == Mode::shadow && !claims_ask(); }
  bool claims_in_others() const {
    return most_ != Mode::shadow && !unkeyed_others_.empty() && !claims_ask();
  }

  // All but those that have an entry by their mode. Which of these entries a Pod reaches is said by
  // their selectors alone: their conditions are the same.
  void of_most(Entry& entry, const Some& workloads) const {
    Some with_entry = others_;
    with_entry.insert(with_entry.end(), unkeyed_others_.begin(), unkeyed_others_.end());
    // Pods known by our annotations alone, whoever made them: they are of the last of the table.
    const bool last_handled = mode_of(webhook::workloads::workloads().back()).has_value();
    std::string also = claims_in_most() ? is_.has_claims : std::string();
    if (last_handled)
      also += claims_in_most() ? fmt::format(" ||\n{}", is_.annotated)
                               : fmt::format("!{} &&\n{}", is_.has_claims, is_.annotated);
    std::string out = asks();
    if (with_entry.empty())
      out += also.empty() ? "" : " ||\n";
    else
      out += (also.empty() ? " &&\n" : " ?\n") + none_of(with_entry) + (also.empty() ? "" : " :\n");
    entry.expression = unless_left_out(out + also);
    entry.mode = most_;
    entry.workloads = names_of(workloads);
    entry.claims = claims_in_most() || claims_ask();
  }

  void rest(Entry& entry, const std::vector<std::string>& before) const {
    of_most(entry, without_key_);
    entry.absent = before;
    // With claims alone Pods of an entry by mode come here, too.
    const bool some = !without_key_.empty() || (claims_in_most() && !others_.empty());
    if (!some) entry.mode.reset();
    if (!some) entry.claims = false;
  }

  void of_unkeyed_others(Entry& entry) const {
    std::string any;
    for (const Workload* each : unkeyed_others_)
      any += fmt::format("{}{}", any.empty() ? "" : " ||\n", of(*each));
    if (claims_in_others())
      entry.expression =
          unless_left_out(fmt::format("{} ?\n{} :\n{}", is_.asks_for_tpu, any, is_.has_claims));
    else
      entry.expression =
          fmt::format("{} &&\n{}", asks(), unkeyed_others_.size() > 1 ? "(" + any + ")" : any);
    entry.mode = mode_of(*unkeyed_others_.front());
    entry.workloads = names_of(unkeyed_others_);
    entry.claims = claims_in_others() || claims_ask();
  }

  // First what nearly no Pod has. A Pod whose nodes have GPUs does not wait for us.
  Entry of_claims() const {
    const std::string by_claim = config_.claims
                                     ? fmt::format("{} &&\n!{}", is_.has_claims, is_.selects_gpus)
                                     : is_.has_claims;
    Entry out{.name = fmt::format("claims.{}", of_pods),
              .condition = "resource-claims",
              .expression = unless_left_out(fmt::format("{} &&\n!{}", by_claim, is_.asks_for_tpu))};
    if (claims_in_most() || claims_in_others() || claims_ask()) return out;
    out.mode = config_.claims ? most_ : Mode::shadow;
    out.claims = true;
    return out;
  }

  const Config& config_;
  Conditions is_;
  std::vector<std::string> of_;  // by the order of the table
  Mode most_ = Mode::enforce;    // of the last workload API that is handled
  Some with_key_, without_key_;  // of that mode: with a label, and without one
  Some others_, unkeyed_others_;
  Some left_out_;
};

}  // namespace

std::string asks_for_chips(std::string_view amounts) {
  std::string out;
  for (const std::string_view name : webhook::read::chip_resources)
    out += fmt::format("{}'{}' in {}", out.empty() ? "(" : " || ", name, amounts);
  return out + ")";
}

Conditions conditions(const std::string& prefix) {
  return {.asks_for_tpu = fmt::format(asks_for_tpu, asks_for_chips("c.resources.limits"),
                                      asks_for_chips("c.resources.requests")),
          .has_claims = fmt::format(has_claims, webhook::read::key::class_resource,
                                    webhook::read::key::accelerator),
          .selects_gpus = std::string(selects_gpus),
          .annotated = fmt::format(annotated, prefix)};
}

std::vector<OfWorkload> of_workloads() {
  std::vector<OfWorkload> out;
  std::string before;  // none of the workload APIs so far
  for (const Workload& workload : webhook::workloads::workloads()) {
    const bool rest = &workload == &webhook::workloads::workloads().back();
    out.push_back({.workload = std::string(workload.name),
                   .entry = entry_name(workload),
                   .label_key = std::string(workload.label_key),
                   .expression = of_pod(rest ? before.substr(0, before.rfind(" &&"))
                                             : fmt::format("{}({})", before, workload.cel))});
    before += fmt::format("!({}) &&\n", workload.cel);
  }
  return out;
}

std::vector<Entry> entries(const Config& config) {
  return Plan(config).entries();
}

std::string any_expression(const Config& config) {
  return Plan(config).any();
}

std::vector<Objects> objects() {
  std::vector<Objects> out;
  for (const Workload& workload : webhook::workloads::workloads()) {
    const Workload* seen = nullptr;
    for (const webhook::workloads::ObjectKind& object : workload.objects) {
      if (seen != &workload || out.back().group != object.group) {
        out.push_back({.workload = std::string(workload.name),
                       .group = std::string(object.group),
                       .versions = {},
                       .resources = {}});
        for (const std::string_view version : object.versions)
          if (!version.empty()) out.back().versions.emplace_back(version);
      }
      seen = &workload;
      out.back().resources.emplace_back(object.resource);
    }
  }
  return out;
}

namespace {

constexpr std::string_view mode_name(std::optional<Mode> mode) {
  return !mode ? "" : *mode == Mode::enforce ? "enforce" : "shadow";
}

std::string selector_yaml(const Entry& entry) {
  std::string out;
  const auto add = [&](const std::string& key, std::string_view op) {
    out += fmt::format("      - key: {}\n        operator: {}\n", key, op);
  };
  for (const std::string& key : entry.present) add(key, "Exists");
  for (const std::string& key : entry.absent) add(key, "DoesNotExist");
  return out.empty() ? out : "  objectSelector:\n    matchExpressions:\n" + out;
}

}  // namespace

std::string entries_yaml(const Config& config) {
  std::string out;
  for (const Entry& entry : entries(config)) {
    if (!entry.mode) continue;
    out += fmt::format("# {}: {}{}\n- name: {}\n{}", mode_name(entry.mode),
                       fmt::join(entry.workloads, ", "),
                       !entry.claims             ? ""
                       : entry.workloads.empty() ? "resource claims"
                                                 : ", resource claims",
                       entry.name, selector_yaml(entry));
    out += fmt::format("  matchConditions:\n    - name: {}\n      expression: |-\n{}",
                       entry.condition, indented(entry.expression, "        "));
  }
  return out;
}

Json entries_json(const Config& config) {
  const Conditions is = conditions(config.prefix);
  Json out = {{"asksForTpu", is.asks_for_tpu},  {"hasClaims", is.has_claims},
              {"selectsGpus", is.selects_gpus}, {"annotated", is.annotated},
              {"workloads", Json::array()},     {"entries", Json::array()}};
  for (const OfWorkload& each : of_workloads())
    out["workloads"].push_back({{"workload", each.workload},
                                {"entry", each.entry},
                                {"labelKey", each.label_key},
                                {"ofWorkload", each.expression}});
  for (const Entry& entry : entries(config))
    out["entries"].push_back({{"name", entry.name},
                              {"mode", mode_name(entry.mode)},
                              {"workloads", entry.workloads},
                              {"claims", entry.claims},
                              {"present", entry.present},
                              {"absent", entry.absent},
                              {"condition", entry.condition},
                              {"expression", entry.expression}});
  out["objects"] = Json::array();
  for (const Objects& each : objects())
    out["objects"].push_back({{"workload", each.workload},
                              {"group", each.group},
                              {"versions", each.versions},
                              {"resources", each.resources}});
  return out;
}

}  // namespace tpuwh::server::rules
