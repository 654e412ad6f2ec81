#include "kubectl/predict/trial/plan.hpp"

#include "kubectl/objects/api_version.hpp"
#include "kubectl/objects/object.hpp"
#include "kubectl/predict/wrappers/open.hpp"
#include "kubectl/predict/wrappers/table.hpp"
#include "server/text/json_text.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tpuwh::server::trial {

namespace {

using source::Manifest;

std::string kind_of(const Json& object) {
  return text::text_member(object, "kind");
}

// Its plural; "" for a kind of which none is known.
std::string plural_of(const Json& object, std::string_view group) {
  const std::string kind = kind_of(object);
  if (group.empty() && kind == "Service") return "services";
  if (group == "apps" && kind == "ReplicaSet") return "replicasets";
  if (const auto* wrapper = wrappers::find_wrapper(object, {})) return wrapper->resource;
  const auto checked = webhook::workloads::find_object(group, kind);
  return checked ? std::string(checked->object->resource) : "";
}

// The collection that it is created in.
std::optional<kube::client::Resource> resource_of(const Json& object, const std::string& ns) {
  const std::string api_version = text::text_member(object, "apiVersion");
  const objects::ApiVersion of = objects::split_api_version(api_version);
  std::string plural = plural_of(object, of.group);
  if (plural.empty()) return std::nullopt;
  return kube::client::Resource{std::string(of.group), std::string(of.version), std::move(plural),
                                objects::namespace_of(object, ns)};
}

class Planner {
 public:
  explicit Planner(const std::string& ns) : ns_(ns) {}

  Plan run(std::span<const Manifest> manifests, std::span<const wrappers::Wrapper> rules) {
    for (const Manifest& each : manifests) add_of_input(each.object);
    const wrappers::Opened opened = wrappers::open(manifests, rules, ns_);
    for (const Manifest& each : opened.holders) {
      const auto* wrapper = wrappers::find_wrapper(each.object, rules);
      if (wrapper != nullptr && !wrapper->pods.empty()) makes_pods_.insert(who(each.object));
    }
    for (const Manifest& each : opened.holders) add_of_holder(each);
    for (const Manifest& each : opened.objects) add_of_holder(each);
    for (const Manifest& each : opened.objects) add_children(each);
    return std::move(out_);
  }

 private:
  void add_of_input(const Json& object) { add({.object = object, .who = who(object)}); }

  // What a wrapper holds, or what its controller makes. A List is nobody's.
  void add_of_holder(const Manifest& manifest) {
    const Json& object = manifest.object;
    const auto* wrapper = wrappers::find_wrapper(object, {});
    if (wrapper != nullptr && !wrapper->also.empty()) leave_out(wrapper->also, kind_of(object));
    if (!manifest.origin || kind_of(object) == "List") return;
    const auto& holders = manifest.origin->holders;
    const auto holder = std::ranges::find_if(
        holders, [](const source::Holder& each) { return each.kind != "List"; });
    for (const auto& [name, shown] : manifest.origin->made_up)
      out_.made_up.push_back({name, shown});
    if (stands_in(manifest) || holder == holders.end()) return;
    const std::string maker = words(*holder);
    add({.object = object, .who = who(object), .maker = maker, .root = maker});
  }

  void add_children(const Manifest& manifest) {
    const Json& object = manifest.object;
    if (stands_in(manifest)) return;
    const expand::ExpandOptions options{.ns = ns_};
    const auto children = expand::children_of(object, options);
    if (!children) return;  // explain has said why
    for (const auto& each : expand::made_up_names(object, options)) out_.made_up.push_back(each);
    for (const std::string& kind : children->others) leave_out(kind, kind_of(object));
    const std::string deployment = objects::shown_name(object);
    for (const expand::Child& each : children->list) {
      if (kind_of(each.object) == "ReplicaSet")  // its name ends in a hash of the template
        out_.made_up.push_back({each.object["metadata"]["name"], deployment + "-*"});
      const Json& owner = each.object["metadata"]["ownerReferences"][0];
      // As its file calls it: of generateName, the name is not known yet.
      const bool is_of_object = text::text_member(owner, "kind") == kind_of(object);
      add({.object = each.object,
           .who = who(each.object),
           .maker = is_of_object ? who(object)
                                 : who_is(text::text_member(owner, "kind"),
                                          objects::namespace_of(each.object),
                                          text::text_member(owner, "name")),
           .root = who(object),
           .count = each.count,
           .may_exist = each.may_exist});
    }
  }

  void add(Planned planned) {
    const std::string kind = kind_of(planned.object);
    if (kind == "Pod") return;  // it is among the Pods
    const bool is_there =
        planned.may_exist &&
        std::ranges::find(out_.objects, planned.who, &Planned::who) != out_.objects.end();
    if (is_there) return;
    auto resource = resource_of(planned.object, ns_);
    if (!resource) {
      out_.not_sent.insert(kind);
      return;
    }
    Json& metadata = planned.object["metadata"];
    if (metadata.is_null() || metadata.is_object()) metadata["namespace"] = resource->ns;
    planned.resource = *std::move(resource);
    out_.objects.push_back(std::move(planned));
  }

  void leave_out(const std::string& kind, const std::string& maker) {
    out_.not_sent.insert(fmt::format("{} of {}", kind, maker));
  }

  // Nobody makes the object: its Pods are those of what holds it, by a rule of a user.
  bool stands_in(const Manifest& manifest) const {
    if (!manifest.origin || manifest.origin->holders.empty()) return false;
    return makes_pods_.contains(words(manifest.origin->holders.front()));
  }

  static std::string words(const source::Holder& holder) {
    return who_is(holder.kind, holder.ns, holder.name);
  }

  std::string who(const Json& object) const { return who_is(object, ns_); }

  const std::string& ns_;
  std::set<std::string> makes_pods_;  // Planned::who of what a rule of a user has templates of
  Plan out_;
};

}  // namespace

std::string who_is(std::string_view kind, std::string_view ns, std::string_view name) {
  return fmt::format("{} {}/{}", kind, ns, name);
}

std::string who_is(const Json& object, const std::string& ns) {
  return who_is(kind_of(object), objects::namespace_of(object, ns), objects::shown_name(object));
}

Plan plan_of(std::span<const Manifest> manifests, std::span<const wrappers::Wrapper> rules,
             const std::string& ns) {
  return Planner(ns).run(manifests, rules);
}

}  // namespace tpuwh::server::trial
