#include "kubectl/predict/network/networks.hpp"

#include "kubectl/objects/object.hpp"
#include "server/text/json_text.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

namespace tpuwh::server::network {

namespace {

using objects::at;
using webhook::read::Label;

// Labels by which a controller finds its Pods, from the object to a slice of it.
using Path = std::vector<std::pair<std::string, std::string>>;

Path path_by(const Json& pod, std::initializer_list<Label> labels) {
  Path out;
  for (const Label each : labels)
    if (std::string value = objects::label(pod, each); !value.empty())
      out.emplace_back(objects::key_of(each), std::move(value));
  return out;
}

// What a StatefulSet selects its Pods by is its own.
Path selector_of(const Json& object) {
  const Json& selector = at(object, {"spec", "selector"});
  const Json& labels = text::member(selector, "matchLabels");
  Path out;
  if (text::text_member(object, "kind") != "StatefulSet" || !labels.is_object() ||
      !text::member(selector, "matchExpressions").is_null())
    return out;
  for (const auto& [key, value] : labels.items())
    if (value.is_string()) out.emplace_back(key, value.get<std::string>());
  return out;
}

bool is_of_ray(const Json& pod) {
  return !objects::label(pod, Label::ray_cluster).empty();
}

Path path_of(const Json& object, const Json& pod) {
  const auto has = [&](Label each) { return !objects::label(pod, each).empty(); };
  if (is_of_ray(pod)) return path_by(pod, {Label::ray_cluster, Label::ray_group});
  if (has(Label::jobset_name))
    return path_by(pod,
                   {Label::jobset_name, Label::jobset_replicated_job, Label::jobset_job_index});
  if (has(Label::lws_name)) return path_by(pod, {Label::lws_name, Label::lws_group_index});
  if (has(Label::job_name)) return path_by(pod, {Label::job_name});
  return selector_of(object);
}

// Values of these only a running cluster gives out.
bool is_given_out(std::string_view key) {
  static constexpr std::array<std::string_view, 4> ends{"-uid", "-hash", "/slice-key", "/token"};
  return std::ranges::any_of(ends, [&](std::string_view end) { return key.ends_with(end); });
}

// Of 253 bytes that a name may have.
constexpr std::size_t longest_name = 200;

// A name of an object made of labels.
std::string as_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool legal = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    out += upper ? static_cast<char>(c - 'A' + 'a') : legal ? c : '-';
  }
  return out;
}

// How many Pods of each class a slice, or a job, has: whether there are several is all that counts.
using Members = std::map<std::size_t, bool>;

struct Gathered {
  Network network;
  Path path;  // of which all its Pods have the same values
};

}  // namespace

struct Networks::State {
  std::span<const Policy> policies;
  std::vector<std::string> made_up;
  bool labels_known = true;

  std::vector<Gathered> all;
  std::map<std::string, std::size_t> by_key;
  std::set<std::string> without;

  // Of the policies that look at them.
  std::vector<const Policy*> of_namespace;
  std::set<std::string> keys;  // of labels that tell Pods apart
  bool names_ports = false;
  std::optional<std::string> ns;  // of the first Pod; others are of the same object
  std::vector<Endpoint> classes;
  std::map<std::string, Members> of_slices, of_jobs;
  MemberPorts used;

  bool is_made_up(std::string_view key, const std::string& value) const {
    return is_given_out(key) || std::ranges::any_of(made_up, [&](const std::string& name) {
             return value.find(name) != std::string::npos;
           });
  }

  void choose_policies(const std::string& of) {
    if (ns) return;
    ns = of;
    for (const Policy& each : policies)
      if (each.ns() == of) of_namespace.push_back(&each);
    if (of_namespace.size() > most_policies) of_namespace.clear();
    for (const Policy* each : of_namespace) {
      each->add_keys(keys);
      names_ports = names_ports || each->names_ports();
    }
  }

  Endpoint endpoint_of(const Json& pod) const {
    Endpoint out{.labels = Json::object(), .ports = Json::array(), .labels_known = labels_known};
    for (const std::string& key : keys)
      if (const Json* value = text::find_member(at(pod, {"metadata", "labels"}), key);
          value != nullptr && value->is_string())
        out.labels[key] = is_made_up(key, value->get<std::string>()) ? Json() : *value;
    if (!names_ports) return out;
    for (const char* list : {"containers", "initContainers"})
      for (const Json& container : at(pod, {"spec", list}))
        for (const Json& each : text::member(container, "ports")) out.ports.push_back(each);
    return out;
  }

  // Beyond most_classes all are the last one, of which nothing is said.
  std::size_t class_of(const Json& pod) {
    Endpoint found = endpoint_of(pod);
    const auto known = std::ranges::find(classes, found);
    const auto index = static_cast<std::size_t>(known - classes.begin());
    if (known == classes.end() && classes.size() <= most_classes)
      classes.push_back(std::move(found));
    return std::min(index, most_classes);
  }

  void note_member(const Json& pod, const slices::SeenPod& seen) {
    choose_policies(seen.ns);
    if (of_namespace.empty() || seen.ns != *ns) return;
    const std::size_t index = class_of(pod);
    const auto add = [&](Members& members) {
      const auto [found, fresh] = members.try_emplace(index, false);
      if (!fresh) found->second = true;
    };
    const bool fresh = !of_slices.contains(seen.slice_key);
    if (seen.multi_host()) add(of_slices[seen.slice_key]);
    if (is_of_several_slices(seen)) add(of_jobs[seen.job_key]);
    used.add(pod, seen, fresh);
  }

  void keep_common(const Path& path, Path& common) const {
    std::erase_if(common,
                  [&](const auto& each) { return std::ranges::find(path, each) == path.end(); });
  }

  std::string why_none(const Path& path, const slices::SeenPod& seen) const {
    if (seen.host_network)
      return "its Pods use the host's network, where the effect of a NetworkPolicy is not defined";
    if (path.empty() || !labels_known)
      return "no label is known that all its Pods have, and no others";
    for (const auto& [key, value] : path)
      if (is_made_up(key, value))
        return fmt::format("label {} of its Pods has a value that only a cluster gives out", key);
    return {};
  }

  void note_network(const Json& object, const Json& pod, const slices::SeenPod& seen) {
    Path path = path_of(object, pod);
    if (std::string why = why_none(path, seen); !why.empty()) {
      without.insert(std::move(why));
      return;
    }
    const bool ray = is_of_ray(pod);
    const std::string key = ray ? fmt::format("ray {}", objects::label(pod, Label::ray_group))
                            : is_of_several_slices(seen) ? "job " + seen.job_key
                                                         : "slice " + seen.slice_key;
    const auto [found, fresh] = by_key.try_emplace(key, all.size());
    if (fresh) {
      Gathered& made = all.emplace_back();
      made.network.ns = seen.ns;
      made.network.all_ports = ray;
      made.path = std::move(path);
    } else {
      keep_common(path, all[found->second].path);
    }
    all[found->second].network.open.add(pod, seen, fresh);
  }

  bool blocks(Direction direction, const Endpoint& from, const Endpoint& to, std::uint32_t port,
              std::set<std::string>& names) const {
    const Endpoint& isolated = direction == Direction::ingress ? to : from;
    bool surely = false;
    for (const Policy* each : of_namespace) {
      const Sure found = each->isolates(direction, isolated);
      if (found == Sure::no) continue;
      if (each->admits(direction, from, to, port) != Sure::no) return false;
      surely = surely || found == Sure::yes;
      if (found == Sure::yes) names.insert(each->name());
    }
    return surely;
  }

  // Whether no member can reach any other.
  bool blocks_all(Direction direction, const Members& members, std::uint32_t port,
                  std::set<std::string>& names) const {
    bool any = false;
    for (const auto& [from, several] : members)
      for (const auto& [to, more] : members) {
        if (from == to && !several) continue;
        if (from >= most_classes || to >= most_classes) return false;
        if (!blocks(direction, classes[from], classes[to], port, names)) return false;
        any = true;
      }
    return any;
  }

  void look_for_blocked(Direction direction, Among among,
                        const std::map<std::string, Members>& all_of, Blocked& out) const {
    std::set<Members> seen;
    for (const auto& [key, members] : all_of) {
      if (!seen.insert(members).second) continue;
      for (const auto& [port, use] : used.ports) {
        std::set<std::string> names;
        if (use.among != among || !blocks_all(direction, members, port, names)) continue;
        out.policies.merge(names);
        out.ports.emplace(port, use.of);
      }
    }
  }
};

Networks::Networks(std::span<const Policy> policies, std::vector<std::string> made_up,
                   bool labels_known)
    : state_(std::make_unique<State>()) {
  state_->policies = policies;
  state_->made_up = std::move(made_up);
  state_->labels_known = labels_known;
}

Networks::~Networks() = default;
Networks::Networks(Networks&&) noexcept = default;
Networks& Networks::operator=(Networks&&) noexcept = default;

void Networks::add(const Json& object, const Json& pod, const slices::SeenPod& seen) {
  if (!seen.multi_host() && !is_of_several_slices(seen)) return;
  if (!seen.host_network) state_->note_member(pod, seen);
  state_->note_network(object, pod, seen);
}

std::vector<Network> Networks::list() const {
  std::vector<Network> out;
  for (const Gathered& each : state_->all) {
    Network made = each.network;
    std::string name;
    for (const auto& [key, value] : each.path) {
      made.selected[key] = value;
      name += value + "-";
    }
    made.name = as_name(name.substr(0, longest_name) + "slice");
    made.from = made.selected;
    if (made.all_ports) made.from.erase(objects::key_of(Label::ray_group));
    const auto same = std::ranges::find(out, made.selected, &Network::selected);
    if (same == out.end()) {
      out.push_back(std::move(made));
      continue;
    }
    same->open.ports.merge(made.open.ports);
    same->open.not_known.merge(made.open.not_known);
  }
  return out;
}

const std::set<std::string>& Networks::without() const {
  return state_->without;
}

std::vector<Blocked> Networks::blocked() const {
  std::vector<Blocked> out;
  for (const Direction direction : {Direction::ingress, Direction::egress}) {
    Blocked each{.direction = direction};
    state_->look_for_blocked(direction, Among::slice, state_->of_slices, each);
    state_->look_for_blocked(direction, Among::job, state_->of_jobs, each);
    if (!each.ports.empty()) out.push_back(std::move(each));
  }
  return out;
}

}  // namespace tpuwh::server::network
