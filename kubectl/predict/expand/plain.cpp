#include "kubectl/predict/expand/plain.hpp"

#include "server/text/json_text.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace tpuwh::server::expand {

namespace {

namespace workloads = webhook::workloads;

using workloads::PlainMaker;

// What makes Pods of one template, and where it stands.
struct Part {
  const Json* object;
  std::string path, name;
};

std::string key(std::string_view text) {
  return std::string(text);
}

std::uint64_t count_of(const Json& part, const PlainMaker& maker) {
  return controllers::one_or(number(part, key(maker.count).c_str()));
}

std::vector<Part> parts_of(const Json& object, const PlainMaker& maker) {
  const Json& spec = object_or_empty(object, "spec");
  if (maker.parts.empty()) return {{&spec, "spec", ""}};
  std::vector<Part> out;
  for (const Json& each : array_or_empty(spec, key(maker.parts).c_str()))
    out.push_back({&each, fmt::format("spec.{}[{}]", maker.parts, out.size()),
                   text::text_member(each, key(maker.part_name))});
  return out;
}

Result<void> check_parts(const std::vector<Part>& parts, const PlainMaker& maker) {
  for (const Part& part : parts) {
    if (auto good = check_counts(*part.object, {key(maker.count).c_str()}, part.path); !good)
      return good;
    const auto found = need_template(*part.object, key(maker.pod_template).c_str(), part.path);
    if (!found) return found.error();
  }
  return {};
}

// The Pods of one part, each made of the one before.
class Replicas {
 public:
  Replicas(const PlainMaker& maker, const Owner& self, const Part& part, const std::string& service)
      : maker_(maker), self_(self), part_(part), service_(service) {
    pod_ = begin_pod((*part.object)[key(maker.pod_template)], self, self.name, "");
  }

  const Json& pod(std::uint64_t index) {
    const std::string number = std::to_string(index);
    const auto filled = [&](std::string_view pattern) {
      return workloads::filled(pattern, self_.name, part_.name, number);
    };
    pod_["metadata"]["name"] = pod_["spec"]["hostname"] = filled(maker_.pod_name);
    if (!service_.empty()) pod_["spec"]["subdomain"] = service_;
    if (!maker_.subdomain.empty()) pod_["spec"]["subdomain"] = filled(maker_.subdomain);
    for (const auto& [name, value] : maker_.labels)
      set_label(pod_, key(name).c_str(), filled(value));
    for (const auto& [name, value] : maker_.annotations)
      set_annotation(pod_, key(name).c_str(), filled(value));
    return pod_;
  }

 private:
  const PlainMaker& maker_;
  const Owner& self_;
  const Part& part_;
  const std::string& service_;
  Json pod_;
};

}  // namespace

std::uint64_t count_plain(const Json& object, const PlainMaker& maker) {
  std::uint64_t sum = 0;
  for (const Part& part : parts_of(object, maker)) sum = add_up(sum, count_of(*part.object, maker));
  return sum;
}

Result<void> expand_plain(const Parent& object, const PlainMaker& maker,
                          const ExpandOptions& options, const Visit& visit) {
  if (!maker.parts.empty())
    if (auto good =
            check_members(object.spec, {{key(maker.parts).c_str(), Shape::objects}}, "spec");
        !good)
      return good;
  const std::vector<Part> parts = parts_of(object.object, maker);
  if (auto good = check_parts(parts, maker); !good) return good;
  const std::string service =
      maker.service.empty() ? "" : text::text_member(object.spec, key(maker.service));
  for (const Part& part : parts) {
    Replicas replicas(maker, object.self, part, service);
    const std::uint64_t count = shown(count_of(*part.object, maker), options);
    for (std::uint64_t i = 0; i < count; ++i)
      if (!visit(replicas.pod(i))) return {};
  }
  return {};
}

}  // namespace tpuwh::server::expand
