#include "kubectl/predict/explain/gather.hpp"

#include "base/names.hpp"
#include "kubectl/inspect/slices/env_entries.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "webhook/read/vocabulary.hpp"
#include "webhook/reasons/reasons.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace tpuwh::server::explain {

namespace {

using Id = std::uint32_t;

// Which variable: a container's, by name.
using VariableKey = std::pair<std::string, std::string>;

// What stands there.
struct VariableValue {
  std::string text;
  bool from = false, ours = false, owners = false;
  std::string replaces = {};
  auto operator<=>(const VariableValue&) const = default;
};

// Values that many Pods have, such as the names of all hosts, are kept once. In order and not by a
// hash: anybody writes them.
class ValueTable {
 public:
  Id id_of(VariableValue value) {
    const auto [found, fresh] = ids_.try_emplace(std::move(value), static_cast<Id>(list_.size()));
    if (fresh) list_.push_back(&found->first);
    return found->second;
  }
  const VariableValue& operator[](Id id) const { return *list_[id]; }

 private:
  std::map<VariableValue, Id> ids_;
  std::vector<const VariableValue*> list_;
};

// Of a Pod's variables, in the order of their keys.
using Values = std::vector<std::pair<Id, Id>>;  // key, value

struct GatheredMember {
  Member told;
  Values values;
};

struct GatheredSlice {
  Slice told;
  std::vector<GatheredMember> members;
};

struct GatheredGroup {
  Group told;
  std::string workload;
  std::vector<GatheredSlice> slices;
  std::map<std::string, std::size_t> by_key;
};

// Of the container of this name, where there is one.
slices::EnvEntries entries_of(const Containers& all, const std::string& name) {
  const auto found = all.find(name);
  return found == all.end() ? slices::EnvEntries{} : slices::env_entries(*found->second);
}

// Where it comes from, in words.
std::string source_of(const Json& entry) {
  const Json& from = at(entry, {"valueFrom"});
  const std::string path = text::text_member(at(from, {"fieldRef"}), "fieldPath");
  return path.empty() ? text::dump_json(from) : path;
}

std::optional<VariableValue> value_of(const Json* entry) {
  if (entry == nullptr) return std::nullopt;
  if (entry->contains("valueFrom")) return VariableValue{source_of(*entry), true};
  return VariableValue{text::text_member(*entry, "value")};
}

// What part of the object its template is. A group of a LeaderWorkerSet is a slice, of one
// template with the others.
std::string part_of(const slices::SeenPod& pod) {
  return webhook::workloads::row_of(pod.workload).part_is.empty() ? std::string() : pod.part;
}

std::string title_of(const slices::SeenPod& pod) {
  const std::string part = part_of(pod);
  if (part.empty()) return {};
  return fmt::format("{} {}", webhook::workloads::row_of(pod.workload).part_is, part);
}

std::string pod_name(const Json& pod) {
  const Json& metadata = at(pod, {"metadata"});
  const std::string hostname = text::text_member(at(pod, {"spec"}), "hostname");
  if (!hostname.empty()) return hostname;
  const std::string name = text::text_member(metadata, "name");
  const std::string generated = text::text_member(metadata, "generateName");
  return name.empty() && !generated.empty() ? generated + "*" : name;
}

std::vector<std::uint32_t> worker_ids(const slices::SeenPod& pod) {
  std::vector<std::uint32_t> out;
  for (const slices::TpuProcess& process : pod.processes) {
    const auto& id = process[webhook::read::Variable::tpu_worker_id];
    if (const auto number = id.literal() ? base::plain_decimal(id.text) : std::nullopt)
      out.push_back(*number);
  }
  return out;
}

// "train-slice-0" of host "train-slice-0-3": what is counted at the end is the host.
std::string without_host(std::string name) {
  const auto dash = name.rfind('-');
  const bool counted = dash != std::string::npos && dash > 0 &&
                       base::plain_decimal(std::string_view(name).substr(dash + 1));
  if (counted) name.resize(dash);
  return name;
}

bool all_have(const std::vector<GatheredMember>& members, const Values::value_type& variable) {
  return std::ranges::all_of(members, [&](const GatheredMember& member) {
    return std::ranges::binary_search(member.values, variable);
  });
}

}  // namespace

struct Gatherer::State {
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> by_name;
  std::vector<GatheredGroup> groups;
  std::map<VariableKey, Id> key_ids;
  std::vector<VariableKey> keys;
  ValueTable value_table;

  Id id_of(const VariableKey& key) {
    const auto [found, fresh] = key_ids.try_emplace(key, static_cast<Id>(keys.size()));
    if (fresh) keys.push_back(key);
    return found->second;
  }

  GatheredGroup& group_of(const AnsweredPod& pod) {
    const slices::SeenPod& seen = pod.seen;
    // Pods of nobody are told together.
    const std::string group_name = seen.kind == "Pod" ? std::string() : seen.group;
    const auto [found, fresh] =
        by_name.try_emplace({seen.kind, group_name, part_of(seen)}, groups.size());
    if (!fresh) return groups[found->second];
    GatheredGroup& group = groups.emplace_back();
    group.workload = pod.workload;
    group.told.title = title_of(seen);
    group.told.accelerator = seen.accelerator;
    group.told.topology = seen.topology;
    group.told.hosts = seen.hosts;
    group.told.processes_per_host = seen.processes_per_host;
    group.told.chips_per_host = seen.chips;
    return group;
  }

  Values values_of(const AnsweredPod& pod) {
    Values out;
    const Containers all_before = containers_of(pod.before), all_after = containers_of(pod.after);
    for (const slices::TpuProcess& process : pod.seen.processes) {
      const slices::EnvEntries before = entries_of(all_before, process.container);
      const slices::EnvEntries after = entries_of(all_after, process.container);
      for (std::size_t i = 0; i < after.size(); ++i) {
        auto value = value_of(after[i]);
        if (!value) continue;
        const std::string variable(webhook::read::variable_names[i]);
        const auto was = value_of(before[i]);
        value->ours = was != *value;
        if (was && value->ours) value->replaces = was->text;
        value->owners =
            !value->ours && pod.in_manifest != nullptr && !pod.in_manifest->contains(variable);
        out.emplace_back(id_of({process.container, variable}),
                         value_table.id_of(std::move(*value)));
      }
    }
    std::ranges::sort(out);
    return out;
  }

  Variable variable(const GatheredGroup& group, Id key, Id which) const {
    const auto& [container, variable] = keys[key];
    const VariableValue& value = value_table[which];
    return {.container = container,
            .name = variable,
            .value = value.text,
            .from = value.from,
            .ours = value.ours,
            .why = value.ours ? webhook::reasons::explain_variable(variable, group.workload) : "",
            .owners = value.owners,
            .replaces = value.replaces};
  }

  // Takes what all of `members` share out of them.
  std::vector<Variable> take_shared(const GatheredGroup& group,
                                    const std::vector<std::vector<GatheredMember>*>& lists) {
    Values shared;
    for (const auto& value : lists.front()->front().values)
      if ((shared.empty() || shared.back() != value) &&
          std::ranges::all_of(lists, [&](const auto* list) { return all_have(*list, value); }))
        shared.push_back(value);
    for (auto* members : lists)
      for (GatheredMember& member : *members)
        std::erase_if(member.values,
                      [&](const auto& value) { return std::ranges::binary_search(shared, value); });
    std::vector<Variable> out;
    for (const auto& [key, value] : shared) out.push_back(variable(group, key, value));
    return out;
  }

  void finish_slice(const GatheredGroup& group, GatheredSlice& slice) {
    std::ranges::stable_sort(slice.members, {}, [](const GatheredMember& member) {
      return member.told.host.value_or(UINT32_MAX);
    });
    Slice& told = slice.told;
    told.variables = take_shared(group, {&slice.members});
    std::vector<bool> present(group.told.hosts);
    for (const GatheredMember& member : slice.members)
      if (member.told.host && *member.told.host < present.size()) present[*member.told.host] = true;
    told.missing = static_cast<std::uint32_t>(std::ranges::count(present, false));
    for (GatheredMember& member : slice.members) {
      for (const auto& [key, value] : member.values)
        member.told.variables.push_back(variable(group, key, value));
      told.members.push_back(std::move(member.told));
    }
    slice.members.clear();
  }

  Group finish_group(GatheredGroup& group) {
    std::vector<std::vector<GatheredMember>*> lists;
    for (GatheredSlice& slice : group.slices) lists.push_back(&slice.members);
    group.told.variables = take_shared(group, lists);
    for (GatheredSlice& slice : group.slices) {
      finish_slice(group, slice);
      group.told.slices.push_back(std::move(slice.told));
    }
    return std::move(group.told);
  }
};

Gatherer::Gatherer() : state_(std::make_unique<State>()) {}

Gatherer::~Gatherer() = default;

bool Gatherer::add(const AnsweredPod& pod) {
  GatheredGroup& group = state_->group_of(pod);
  ++group.told.pods;
  // A Pod that is no member of anything is a slice by itself.
  const std::string& key = pod.seen.slice_key;
  const auto [found, fresh] = group.by_key.try_emplace(key, group.slices.size());
  GatheredSlice& slice = fresh ? group.slices.emplace_back() : group.slices[found->second];
  if (fresh) {
    slice.told.index = pod.seen.slice;
    const auto* process = pod.seen.processes.empty() ? nullptr : &pod.seen.processes.front();
    const auto* tpu_name =
        process == nullptr ? nullptr : &(*process)[webhook::read::Variable::tpu_name];
    slice.told.name = tpu_name != nullptr && tpu_name->literal() ? tpu_name->text
                      : pod.seen.multi_host()                    ? without_host(pod_name(pod.after))
                                                                 : pod_name(pod.after);
    if (process != nullptr) {
      const auto& count = (*process)[webhook::read::Variable::megascale_num_slices];
      const auto number = count.literal() ? base::plain_decimal(count.text) : std::nullopt;
      group.told.slices_of_job = number.value_or(0);
    }
  }
  slice.members.push_back({{.pod = pod_name(pod.after),
                            .host = pod.seen.host,
                            .worker_ids = worker_ids(pod.seen),
                            .variables = {}},
                           state_->values_of(pod)});
  return fresh;
}

std::size_t Gatherer::groups() const {
  return state_->groups.size();
}

std::vector<Group> Gatherer::finish() {
  std::vector<Group> out;
  for (GatheredGroup& group : state_->groups) out.push_back(state_->finish_group(group));
  return out;
}

}  // namespace tpuwh::server::explain
