#include "kubectl/predict/wrappers/open.hpp"

#include "base/names.hpp"
#include "kubectl/objects/object.hpp"
#include "kubectl/predict/wrappers/pods.hpp"
#include "kubectl/predict/wrappers/table.hpp"
#include "kubectl/predict/wrappers/written.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

namespace tpuwh::server::wrappers {

namespace {

using objects::at;
using objects::shown_name;
using source::Manifest;

constexpr auto queue_label = webhook::read::Label::kueue_queue_name;

std::string kind_of(const Json& object) {
  return text::text_member(object, "kind");
}

std::string name_of(const Json& object) {
  return text::text_member(at(object, {"metadata"}), "name");
}

class Opener {
 public:
  Opener(std::span<const Wrapper> own, const std::string& ns) : own_(own), ns_(ns) {}

  Opened run(std::span<const Manifest> manifests) {
    for (const Manifest& each : manifests) take(each);
    for (const Manifest& each : taken_) by_name_.emplace(key_of(each.object), &each);
    for (const Manifest& each : taken_) make(each);
    std::erase_if(out_.unopened, [](const Unopened& each) { return each.faults.empty(); });
    return std::move(out_);
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;

  std::string namespace_of(const Json& object) const { return objects::namespace_of(object, ns_); }

  Key key_of(const Json& object) const {
    return {kind_of(object), namespace_of(object), name_of(object)};
  }

  Unopened unopened(const Manifest& of) const {
    return {of.file, kind_of(of.object), namespace_of(of.object), shown_name(of.object), {}};
  }

  // Takes out what stands whole in it, and in that.
  void take(Manifest manifest) {
    const Wrapper* wrapper = find_wrapper(manifest.object, own_);
    if (wrapper == nullptr || wrapper->children.empty()) {
      taken_.push_back(std::move(manifest));
      return;
    }
    Unopened told = unopened(manifest);
    std::vector<Manifest> children;
    for (const Path& path : wrapper->children)
      for (const Match& match : path.find(manifest.object)) {
        Json& child = manifest.object.at(match.pointer);
        if (auto fault = why_not(*wrapper, child, manifest.object, match.pointer))
          told.faults.push_back(*std::move(fault));
        else
          children.push_back(child_of(manifest, *wrapper, std::exchange(child, {}), match.pointer));
      }
    if (children.empty() && told.faults.empty())
      told.faults.push_back({.sentence = fmt::format("it holds no object: {} is missing",
                                                     wrapper->children.front().text())});
    out_.unopened.push_back(std::move(told));
    taken_.push_back(std::move(manifest));
    for (Manifest& child : children) take(std::move(child));
  }

  // source: AppWrapper's webhook, of a wrapper that does not nest.
  std::optional<Fault> why_not(const Wrapper& wrapper, const Json& child, const Json& holder,
                               const Pointer& pointer) const {
    const std::string path = spoken(pointer);
    if (!child.is_object())
      return Fault{.refused = true, .sentence = fmt::format("{}: must be an object", path)};
    if (kind_of(child).empty())
      return Fault{.refused = true, .sentence = fmt::format("{}.kind: is missing", path)};
    if (wrapper.nests) return std::nullopt;
    if (kind_of(child) == wrapper.kind)
      return Fault{
          .refused = true,
          .sentence = fmt::format("{}: an {} may not hold another one", path, wrapper.kind)};
    const std::string ns = objects::namespace_of(child);
    if (ns.empty() || ns == namespace_of(holder)) return std::nullopt;
    return Fault{
        .refused = true,
        .sentence = fmt::format("{}.metadata.namespace: is {}, but an {} of namespace {} "
                                "creates objects in its own",
                                path, base::printable(ns), wrapper.kind, namespace_of(holder))};
  }

  Manifest child_of(const Manifest& holder, const Wrapper& wrapper, Json child,
                    const Pointer& pointer) const {
    auto origin = std::make_shared<source::Origin>();
    const source::Written whole{"", wrapper.kind, namespace_of(holder.object),
                                name_of(holder.object), pointer.to_string()};
    origin->written.push_back(holder.origin ? through(whole, *holder.origin) : whole);
    add_holder(holder, spoken(pointer), {}, *origin);
    if (wrapper.suspends && objects::is_suspended(holder.object))
      origin->notes.push_back(
          fmt::format("{} is suspended: this is the result when it is resumed", wrapper.kind));
    inherit(holder.object, child);
    return {.file = holder.file,
            .object = std::move(child),
            .notes = holder.notes,
            .origin = std::move(origin)};
  }

  // What it is in, and what that is in.
  void add_holder(const Manifest& holder, std::string path, std::string of,
                  source::Origin& origin) const {
    origin.holders.push_back({kind_of(holder.object), namespace_of(holder.object),
                              shown_name(holder.object), std::move(path), std::move(of)});
    if (!holder.origin) return;
    const source::Origin& outer = *holder.origin;
    origin.holders.insert(origin.holders.end(), outer.holders.begin(), outer.holders.end());
    origin.notes.insert(origin.notes.end(), outer.notes.begin(), outer.notes.end());
  }

  static void inherit(const Json& holder, Json& child) {
    if (!child.is_object()) return;
    Json& metadata = child["metadata"];
    if (metadata.is_null()) metadata = Json::object();
    if (!metadata.is_object()) return;
    const std::string ns = objects::namespace_of(holder);
    if (!ns.empty() && text::text_member(metadata, "namespace").empty()) metadata["namespace"] = ns;
    const std::string queue = objects::label(holder, queue_label);
    if (queue.empty()) return;
    Json& labels = metadata["labels"];
    if (labels.is_null()) labels = Json::object();
    if (labels.is_object() && !labels.contains(objects::key_of(queue_label)))
      labels[objects::key_of(queue_label)] = queue;
  }

  // What is made of it, else it by itself.
  void make(const Manifest& manifest) {
    const Wrapper* wrapper = find_wrapper(manifest.object, own_);
    if (wrapper == nullptr) {
      out_.objects.push_back(manifest);
      return;
    }
    out_.holders.push_back(manifest);
    if (wrapper->make == nullptr && wrapper->pods.empty()) return;
    Unopened& told = out_.unopened.emplace_back(unopened(manifest));
    if (made_bytes_ > max_made_bytes) return too_much(told);
    const Json plain = expand::without_nulls(manifest.object);
    const auto self =
        expand::owner_of(plain, text::text_member(plain, "apiVersion"), wrapper->kind, {.ns = ns_});
    if (!self) {
      told.faults.push_back({.refused = true, .sentence = std::string(self.error().text())});
      return;
    }
    if (wrapper->make != nullptr) add(wrapper->make(plain, *self, beside()), manifest, *self, told);
    for (const Pods& each : wrapper->pods)
      add(make_pods(plain, *self, each), manifest, *self, told);
  }

  Beside beside() const {
    return [this](std::string_view kind, const std::string& ns,
                  const std::string& name) -> const Manifest* {
      const auto found = by_name_.find({std::string(kind), ns.empty() ? ns_ : ns, name});
      return found == by_name_.end() ? nullptr : found->second;
    };
  }

  void add(Making making, const Manifest& of, const expand::Owner& self, Unopened& told) {
    for (Fault& each : making.faults) told.faults.push_back(std::move(each));
    for (Made& each : making.made) {
      made_bytes_ += text::dump_json(each.object).size();
      if (made_bytes_ > max_made_bytes) return too_much(told);
      see_through(each.origin);
      add_holder(of, {}, std::move(each.of), each.origin);
      if (name_of(of.object).empty())
        each.origin.made_up.push_back({self.name, shown_name(of.object)});
      inherit(of.object, each.object);
      out_.objects.push_back(
          {.file = of.file,
           .object = std::move(each.object),
           .notes = of.notes,
           .origin = std::make_shared<const source::Origin>(std::move(each.origin))});
    }
  }

  static void too_much(Unopened& told) {
    told.faults.push_back({.sentence = fmt::format("with those before it the objects that are made "
                                                   "are larger than {} MiB",
                                                   max_made_bytes >> 20)});
  }

  // What it is made of may itself be in a wrapper.
  void see_through(source::Origin& origin) const {
    for (source::Written& each : origin.written) {
      if (each.kind.empty()) continue;
      const auto found = by_name_.find({each.kind, each.ns.empty() ? ns_ : each.ns, each.name});
      if (found != by_name_.end() && found->second->origin)
        each = through(each, *found->second->origin);
    }
  }

  std::span<const Wrapper> own_;
  const std::string& ns_;
  std::vector<Manifest> taken_;
  std::map<Key, const Manifest*> by_name_;  // of taken_
  Opened out_;
  std::size_t made_bytes_ = 0;
};

}  // namespace

bool holds_wrappers(std::span<const Manifest> manifests, std::span<const Wrapper> own) {
  return std::ranges::any_of(
      manifests, [&](const Manifest& each) { return find_wrapper(each.object, own) != nullptr; });
}

Opened open(std::span<const Manifest> manifests, std::span<const Wrapper> own,
            const std::string& ns) {
  return Opener(own, ns).run(manifests);
}

}  // namespace tpuwh::server::wrappers
