#include "kubectl/team_rules/asked.hpp"

#include "base/json/reader.hpp"
#include "base/names.hpp"
#include "kubectl/objects/json_path.hpp"
#include "server/text/json_text.hpp"
#include "webhook/facts/shape.hpp"
#include "webhook/read/body.hpp"
#include "webhook/read/claims.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tpuwh::server::team_rules {

namespace {

namespace read = webhook::read;

constexpr std::string_view max_run_seconds = "cloud.google.com/gke-max-run-duration-seconds";

// Returns the largest number of chips that the containers of a Pod hold at the same time.
std::uint64_t chips_of_pod(const webhook::facts::Shape& shape) {
  std::uint64_t chips = 0, sidecars = 0, before = 0;
  for (const read::Container* each : shape.processes) {
    const std::uint64_t own = std::min(each->chips(), most_chips_of_pod);
    chips += own;
    if (each->sidecar) sidecars += own;
  }
  // As in the CEL of the policies, the chips of all sidecars are added to those of each init
  // container, even if a sidecar starts after this container.
  for (const read::Container* each : shape.init)
    before = std::max(before, each->chips() + sidecars);
  return std::min(std::max(chips, before), most_chips_of_pod);
}

class TemplateReader {
 public:
  TemplateReader(std::string_view prefix, std::string_view ns, const read::ClusterView& cluster)
      : prefix_(prefix), ns_(ns), cluster_(cluster) {}

  std::optional<AskedTemplate> read(const PodTemplate& one) {
    if (!read_pod(*one.pod) || pod_.bad_chips) return std::nullopt;
    claims_.clear();
    if (pod_.may_claim()) read::take_claimed_chips(pod_, ns_, cluster_, claims_);
    if (!webhook::facts::read_shape(pod_, shape_)) return std::nullopt;
    webhook::facts::take_claims(claims_, shape_);
    Run run = one.run;
    run.checkpoint =
        !objects::at(*one.pod, {"metadata", "annotations", checkpoint_.c_str()}).is_null();
    if (const auto most = base::plain_decimal(pod_.selector(max_run_seconds)))
      run.seconds = std::min<std::uint64_t>(run.seconds.value_or(*most), *most);
    // The annotation names the topology of the part of a slice that the Pods use. The node selector
    // names the topology of the whole slice, so the node selector counts only if the annotation is
    // missing.
    const std::string_view part = pod_.annotation(read::Annotation::sub_slice_topology);
    return AskedTemplate{
        .title = one.title,
        .accelerator = selected(read::key::accelerator, shape_.accelerator),
        .topology =
            part.empty() ? selected(read::key::topology, shape_.topology) : std::string(part),
        .pods = std::min(one.pods, most_pods),
        .chips = chips_of_pod(shape_),
        .capacity = capacity_of([&](std::string_view key) { return pod_.selector(key); }),
        .run = run};
  }

 private:
  bool read_pod(const Json& pod) {
    text_ = text::dump_json(pod);
    in_.clear_error();
    return in_.start(read::Body(text_).bytes()) && read::read_pod_template(in_, prefix_, pod_);
  }

  // Returns the value of the template's node selector for `key`. If the node selector has no value,
  // returns `claimed`, the value from the template's resource claims.
  std::string selected(std::string_view key, std::string_view claimed) const {
    const std::string_view value = pod_.selector(key);
    return std::string(value.empty() && pod_.may_claim() ? claimed : value);
  }

  const std::string_view prefix_, ns_;
  const read::ClusterView& cluster_;
  const std::string checkpoint_ = std::string(prefix_) + "checkpoint";
  std::string text_;
  base::json::Reader in_;
  read::Pod pod_;
  read::TakenClaims claims_;
  webhook::facts::Shape shape_;
};

}  // namespace

AskedObject asked_of(const Json& object, std::string_view prefix, std::string_view ns,
                     const read::ClusterView& cluster) {
  AskedObject out{.name = name_of(object)};
  TemplateReader reader(prefix, ns, cluster);
  for (const PodTemplate& each : templates_of(object))
    if (auto asked = reader.read(each)) out.templates.push_back(*std::move(asked));
  return out;
}

}  // namespace tpuwh::server::team_rules
