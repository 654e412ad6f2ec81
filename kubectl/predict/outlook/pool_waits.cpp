#include "kubectl/predict/outlook/pool_waits.hpp"

#include "base/counted.hpp"
#include "kubectl/predict/outlook/capacity.hpp"
#include "kubectl/predict/outlook/help.hpp"
#include "kubectl/predict/outlook/words.hpp"
#include "webhook/pools/fit.hpp"
#include "webhook/reasons/node_trouble.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <span>

namespace tpuwh::server::outlook {

namespace {

namespace key = webhook::read::key;
using base::counted;
using fixes::Command;
using fixes::Verb;
using webhook::pools::Node;
using webhook::pools::Unusable;
using Views = std::vector<const PoolView*>;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// "tpu-v6e-slice 4x4"
std::string shape_of(const Member& member) {
  return fmt::format("{} {}", plain(member.accelerator()), plain(member.topology()));
}

// Of whom it is said: "" where that is all there is, else "slice 1 of 2: ", "3 of 4 slices: ".
std::string who(const Placeless& slices) {
  const std::size_t count = slices.slices.size();
  if (slices.of == 1) return {};
  if (count == 1 && !slices.slices.front()->title.empty())
    return plain(slices.slices.front()->title) + ": ";
  return count == slices.of ? fmt::format("all {} slices: ", count)
                            : fmt::format("{} of {} slices: ", count, slices.of);
}

std::string name_of(const Tenant& tenant) {
  const bool of_group = !tenant.kind.empty() && !tenant.group.empty();
  std::string out =
      of_group ? fmt::format("{} {}/{}", plain(tenant.kind), plain(tenant.ns), plain(tenant.group))
               : fmt::format("Pod {}/{}", plain(tenant.ns), plain(tenant.pod));
  if (tenant.slice) out += fmt::format(", slice {}", *tenant.slice);
  return out + (tenant.leaving ? " (being deleted)" : "");
}

// Under names that no pool of the shape has.
void help_with_pools(const Placeless& slices, const Views& views, Taken& taken, Help& help) {
  for (const PoolView* each : views) taken.made.emplace(each->name);
  add_pools(slices.member, static_cast<std::uint32_t>(slices.slices.size()), help, taken.made);
}

// --- No pool of the shape -----------------------------------------------------------------

// The nearest first: of the same accelerator, of the same topology.
std::string shapes_there(const ClusterState& cluster, const Member& member) {
  auto shapes = shapes_of(cluster.pools);
  if (shapes.empty() && cluster.without_pool.empty()) return "no node of the cluster has TPUs";
  if (shapes.empty()) return "nodes with TPUs have no label " + std::string(key::node_pool);
  std::ranges::stable_sort(shapes, {}, [&](const SeenShape& shape) {
    return std::pair(shape.accelerator != member.accelerator(),
                     shape.topology != member.topology());
  });
  std::vector<std::string> names;
  for (const auto& shape : shapes)
    names.push_back(fmt::format("{} {} ({})", plain(shape.accelerator), plain(shape.topology),
                                counted(shape.pools, "node pool")));
  return "the cluster has " + told(names, ", ");
}

std::string nodes_of(const WantedSlice& slice) {
  return fmt::format("{} of {}", counted(slice.hosts, "node"),
                     counted(slice.chips_per_host, "chip"));
}

// How the Pods select capacity that is made when they ask; "" where they do not.
std::string made_by(const Member& member) {
  if (const auto name = member.selected(key::compute_class); !name.empty())
    return "ComputeClass " + plain(name);
  const auto options = capacity_of([&](std::string_view label) { return member.selected(label); });
  if (options.flex_start) return "flex-start";
  if (options.spot) return "Spot";
  const std::string_view reservation = member.selected(key::reservation);
  return reservation.empty() ? "" : "reservation " + plain(reservation);
}

// What the class says of the shape; "" where it may not be read.
std::string of_class(const ClusterState& cluster, const Member& member) {
  const std::string_view name = member.selected(key::compute_class);
  if (name.empty() || !cluster.knows_compute_classes) return {};
  const auto found = cluster.compute_classes.find(name);
  if (found == cluster.compute_classes.end()) return ", and there is no ComputeClass of that name";
  const auto& all = found->second.priorities;
  const auto fits = [&](const ComputeClass::Priority& each) {
    return each.accelerator == member.accelerator() && each.topology == member.topology() &&
           each.chips_per_node == member.slice().chips_per_host;
  };
  const auto first = std::ranges::find_if(all, fits);
  if (first == all.end())
    return fmt::format(", and none of its {} has {} with {} per node",
                       counted(all.size(), "priority rule"), shape_of(member),
                       counted(member.slice().chips_per_host, "chip"));
  return fmt::format(", which its priority rule {} of {} makes{}{}", first - all.begin() + 1,
                     all.size(), first->spot ? " as Spot" : "",
                     first->flex_start ? " by flex-start" : "");
}

constexpr std::string_view from_zero =
    "a node pool that is scaled to zero shows no node, so whether there is one is not known from "
    "the cluster";

Wait no_capacity(const Placeless& slices, const std::string& way, Taken& taken,
                 const ClusterState& cluster) {
  Help help;
  add_pool_list(help);
  if (!slices.member.selected(key::compute_class).empty())
    help.add(Command::kubectl(Verb::describe)
                 .of("computeclass", slices.member.selected(key::compute_class)));
  else
    help_with_pools(slices, {}, taken, help);
  return {Cause::capacity,
          fmt::format("{}no node of {} by {} exists now{}; {}", who(slices),
                      shape_of(slices.member), way, of_class(cluster, slices.member), from_zero),
          help.take()};
}

// Shows what the nodes of the accelerator say of themselves.
Command labels_of_nodes(const Placeless& slices) {
  return Command::kubectl(Verb::get)
      .of("nodes")
      .words("-l")
      .name("cloud.google.com/gke-tpu-accelerator=", slices.member.accelerator())
      .words("--show-labels");
}

// Nodes of the shape, of which nothing says which of them one pool has made.
Wait without_pool(const Placeless& slices, std::uint64_t nodes) {
  Help help;
  help.add(labels_of_nodes(slices));
  return {Cause::no_pool,
          fmt::format("{}{} of {} {} no label {}, so their node pools are not known", who(slices),
                      counted(nodes, "node"), shape_of(slices.member), nodes == 1 ? "has" : "have",
                      key::node_pool),
          help.take()};
}

Wait no_pool(const Placeless& slices, Taken& taken, const ClusterState& cluster) {
  Help help;
  help_with_pools(slices, {}, taken, help);
  add_pool_list(help);
  return {Cause::no_pool,
          fmt::format("{}no node pool of {} ({}) has a node; {}; {}", who(slices),
                      shape_of(slices.member), nodes_of(*slices.slices.front()),
                      shapes_there(cluster, slices.member), from_zero),
          help.take()};
}

// --- Pools of the shape, of other nodes ---------------------------------------------------

// A selector that no node of the shape matches, as "key=value"; "" where none is alone to blame.
std::string unmatched(const ClusterState& cluster, const Member& member) {
  const auto pools = pools_of(cluster.pools, member.question());
  for (const auto& selector : member.pod().node_selector) {
    const bool matched = std::ranges::any_of(pools, [&](const auto& pool) {
      return std::ranges::any_of(pool.hosts, [&](const auto& host) {
        return host.node->labels.find(selector.key) == selector.value;
      });
    });
    if (!matched) return fmt::format("{}={}", plain(selector.key), plain(selector.value));
  }
  return {};
}

Wait not_selected(const Placeless& slices, std::size_t pools, const ClusterState& cluster) {
  const std::string label = unmatched(cluster, slices.member);
  Help help;
  help.add(labels_of_nodes(slices));
  return {Cause::no_pool,
          fmt::format("{}{} of {}, but {}", who(slices), counted(pools, "node pool"),
                      shape_of(slices.member),
                      label.empty() ? "no node matches the Pods' node selector and required node "
                                      "affinity"
                                    : fmt::format("no node has {}, which the Pods select", label)),
          help.take()};
}

// Of the shape, and all of them go to slices of the input.
Wait none_left(const Placeless& slices, const Views& views, Taken& taken) {
  std::vector<std::string> names;
  for (const PoolView* view : views) {
    const auto by = taken.pools.find(view->name);
    names.push_back(plain(view->name) +
                    (by == taken.pools.end() ? "" : " goes to " + plain(by->second)));
  }
  Help help;
  help_with_pools(slices, views, taken, help);
  const bool single = slices.slices.front()->hosts == 1;
  return {Cause::no_pool,
          fmt::format("{}no {} of {} is left: {}{}", who(slices),
                      single ? "free node" : "node pool", shape_of(slices.member),
                      single ? "slices before it fill " : "", told(names, ", ")),
          help.take()};
}

// --- Pools that are held ------------------------------------------------------------------

std::string holders(const PoolView& view) {
  std::vector<std::string> names;
  std::set<std::string> all;  // a slice is told once
  for (const Tenant* tenant : view.others)
    if (const auto [name, is_new] = all.insert(name_of(*tenant)); is_new) names.push_back(*name);
  return told(names, " and ");
}

std::string extras(const PoolView& view, const webhook::read::PoolQuestion& question) {
  std::string out;
  for (const Node* node : view.unusable_nodes)
    out += ", " + webhook::reasons::trouble_of(*node, question);
  return view.unusable_nodes.size() > most_told
             ? fmt::format(", {} nodes cannot be used", view.unusable_nodes.size())
             : out;
}

void help_with_holder(const Tenant& tenant, Help& help) {
  const bool of_group = !tenant.kind.empty() && !tenant.group.empty();
  const std::string kind = of_group ? lower(tenant.kind) : "pod";
  const std::string& name = of_group ? tenant.group : tenant.pod;
  // Whether it may end is not ours to say.
  help.add(Command::kubectl(Verb::get, tenant.ns).of(kind, name));
}

Wait held(const Placeless& slices, const Views& views) {
  const auto question = slices.member.question();
  Help help;
  std::vector<std::string> parts;
  for (const PoolView* view : views)
    parts.push_back(
        fmt::format("{} by {}{}", plain(view->name), holders(*view), extras(*view, question)));
  for (const Tenant* tenant : views.front()->others)
    if (help.size() < most_told) help_with_holder(*tenant, help);
  const std::string where =
      views.size() == 1 ? "node pool " + plain(views.front()->name) + " is held by " +
                              holders(*views.front()) + extras(*views.front(), question)
                        : fmt::format("{} of {} are held: {}", counted(views.size(), "node pool"),
                                      shape_of(slices.member), told(parts, "; "));
  return {Cause::pool_taken, who(slices) + where, help.take()};
}

// --- Pools that are not whole -------------------------------------------------------------

Wait too_small(const Placeless& slices, const Views& views, Taken& taken) {
  std::vector<std::string> parts;
  Help help;
  for (const PoolView* view : views) {
    parts.push_back(
        fmt::format("node pool {} has {}", plain(view->name), counted(view->nodes, "node")));
    if (view == views.front())
      help.add(Command::kubectl(Verb::get).of("nodes").words("-l").name(
          "cloud.google.com/gke-nodepool=", view->name));
  }
  help_with_pools(slices, views, taken, help);
  return {Cause::pool_too_small,
          fmt::format("{}{}; a slice of {} needs {}", who(slices), told(parts, ", "),
                      shape_of(slices.member), slices.slices.front()->hosts),
          help.take()};
}

std::string remedy_of(const webhook::pools::Taint& taint) {
  using webhook::reasons::TaintCause;
  const std::string name =
      fmt::format("{}{}{}:{}", plain(taint.key), taint.value.empty() ? "" : "=", plain(taint.value),
                  taint.no_execute ? "NoExecute" : "NoSchedule");
  switch (webhook::reasons::cause_of(taint)) {
    case TaintCause::kind_of_node:
      return fmt::format("Pods that are meant for such nodes tolerate {}", name);
    case TaintCause::compute_class:
      return fmt::format("Pods that are meant for such nodes select {}={}", taint.key,
                         plain(taint.value));
    case TaintCause::setup:
      return fmt::format("the platform removes {} once the node is set up", name);
    case TaintCause::maintenance:
      return fmt::format("the platform removes {} once the maintenance is over", name);
    case TaintCause::condition:
      return fmt::format("the control plane removes {} once the node is repaired", name);
    case TaintCause::unknown:
      break;
  }
  // Why it is there is not known, and so which of the two is right.
  return fmt::format("whoever set taint {} removes it, or the Pods tolerate it", name);
}

// Of the first taint.
std::string toleration(const Views& views, const webhook::read::PoolQuestion& question) {
  for (const PoolView* view : views)
    for (const Node* node : view->unusable_nodes)
      if (unusable(*node, question) == Unusable::tainted)
        return "; " + remedy_of(*webhook::reasons::untolerated(*node, question));
  return {};
}

// Who upgrades or repairs a node cordons it and lets Pods come again; to do so before that
// undoes the upgrade.
std::string of_cordons(const Views& views, const webhook::read::PoolQuestion& question) {
  for (const PoolView* view : views)
    for (const Node* node : view->unusable_nodes)
      if (unusable(*node, question) == Unusable::cordoned)
        return "; GKE cordons nodes that it upgrades or repairs and uncordons them itself; whoever "
               "cordoned others must uncordon them";
  return {};
}

// What is wrong with a node is looked at before anything is done to it.
void help_with_nodes(const PoolView& view, const webhook::read::PoolQuestion& question,
                     Help& help) {
  const auto nodes =
      std::span(view.unusable_nodes).first(std::min(view.unusable_nodes.size(), most_told));
  for (const Node* node : nodes) help.add(Command::kubectl(Verb::describe).of("node", node->name));
  for (const Node* node : nodes)
    if (unusable(*node, question) == Unusable::cordoned)
      help.add(Command::kubectl(Verb::uncordon).of("", node->name));
}

Wait not_usable(const Placeless& slices, const Views& views) {
  const auto question = slices.member.question();
  std::vector<std::string> parts;
  Help help;
  for (const PoolView* view : views) {
    std::vector<std::string> troubles;
    for (const Node* node : view->unusable_nodes)
      troubles.push_back(webhook::reasons::trouble_of(*node, question));
    if (view == views.front()) help_with_nodes(*view, question, help);
    parts.push_back(fmt::format("node pool {} has {} of {} that can be used: {}", plain(view->name),
                                view->usable, counted(view->nodes, "node"), told(troubles, ", ")));
  }
  return {
      Cause::pool_unusable,
      who(slices) + told(parts, "; ") + toleration(views, question) + of_cordons(views, question),
      help.take()};
}

Views of(const std::vector<PoolView>& views, Bar bar) {
  Views out;
  for (const PoolView& each : views)
    if (each.bar == bar) out.push_back(&each);
  return out;
}

}  // namespace

std::vector<Wait> pool_waits(const Placeless& slices, const std::vector<PoolView>& views,
                             Taken& taken, const ClusterState& cluster) {
  const std::size_t others = of(views, Bar::not_selected).size();
  if (others == views.size()) {
    if (const auto way = made_by(slices.member); !way.empty())
      return {no_capacity(slices, way, taken, cluster)};
    const auto nodes = cluster.without_pool.find(
        {std::string(slices.member.accelerator()), std::string(slices.member.topology())});
    if (views.empty() && nodes != cluster.without_pool.end())
      return {without_pool(slices, nodes->second)};
    return {views.empty() ? no_pool(slices, taken, cluster)
                          : not_selected(slices, others, cluster)};
  }
  std::vector<Wait> out;
  if (const Views all = of(views, Bar::held); !all.empty()) out.push_back(held(slices, all));
  if (const Views all = of(views, Bar::unusable); !all.empty())
    out.push_back(not_usable(slices, all));
  if (const Views all = of(views, Bar::too_small); !all.empty())
    out.push_back(too_small(slices, all, taken));
  if (out.empty()) out.push_back(none_left(slices, of(views, Bar::before), taken));
  return out;
}

}  // namespace tpuwh::server::outlook
