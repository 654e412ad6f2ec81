#include "webhook/validate/apps.hpp"

#include "webhook/validate/readiness.hpp"

#include <optional>
#include <string>

namespace tpuwh::webhook::validate {

namespace {

struct Spec {
  std::optional<std::uint32_t> replicas;
  std::string_view service_name, management_policy;
  base::json::Reader::Mark pod_template;
};

bool read_spec(base::json::Reader& in, base::json::Reader::Mark place, Spec& spec) {
  return object_at(in, place, [&](std::string_view key, base::json::Seen& seen) {
    if (key == "replicas") return in.first(seen, 0) && optional_count(in, spec.replicas);
    if (key == "serviceName")
      return in.first(seen, 1) && base::json::optional_text(in, spec.service_name);
    if (key == "template") return in.first(seen, 2) && keep_place(in, spec.pod_template);
    if (key == "podManagementPolicy")
      return in.first(seen, 3) && base::json::optional_text(in, spec.management_policy);
    return in.skip();
  });
}

// Each Pod but the first is made when the one before is Ready.
bool check_order(Checker& checker, const Spec& spec) {
  const topology::Slice* slice = checker.slice();
  if (slice == nullptr || !slice->multi_host() || spec.management_policy == "Parallel") return true;
  std::string what;
  if (!read_readiness(checker.reader(), spec.pod_template, what)) return false;
  if (!what.empty())
    checker.add(Finding::made_when_ready,
                std::string("podManagementPolicy is ") +
                    (spec.management_policy.empty() ? "missing, which means OrderedReady"
                                                    : "OrderedReady") +
                    ": each Pod is created when the previous one is Ready, which is decided by " +
                    what + ", but " + hosts_by_arithmetic(*slice) +
                    "; podManagementPolicy: Parallel creates all at once, but cannot be set on an "
                    "existing StatefulSet");
  return true;
}

}  // namespace

bool check_template(Checker& checker, base::json::Reader::Mark pod_template, std::string_view kind,
                    std::string_view step) {
  TemplateSpec read;
  if (!read_template_spec(checker.reader(), pod_template, read, step)) return false;
  checker.add_refusals(controllers::refusals_of_replicas(read.words, kind));
  return true;
}

void report_alike(Checker& checker, const outcome::Decision& decision, std::string_view maker,
                  std::string_view fix) {
  const topology::Slice* slice = checker.slice();
  const bool alike =
      slice != nullptr && slice->multi_host() && decision.reason == outcome::Reason::no_identity;
  if (!alike) return checker.report(decision);
  checker.add(Finding::deployment_of_hosts,
              std::string(maker) + " makes identical Pods, but " + hosts_by_arithmetic(*slice) +
                  ", each with an id of its own; " + std::string(fix));
}

bool check_deployment(Checker& checker, base::json::Reader::Mark place) {
  Spec spec;
  if (!read_spec(checker.reader(), place, spec)) return false;
  if (!checker.open({}, spec.pod_template)) return !checker.reader().failed();
  checker.pod().owner = {"ReplicaSet", checker.object().name, {}};
  report_alike(checker, checker.decide(), "a Deployment", "use a LeaderWorkerSet or a StatefulSet");
  return check_template(checker, spec.pod_template, "Deployment");
}

// Consecutive ordinals are a slice (webhook/workloads/statefulset.cpp).
bool check_statefulset(Checker& checker, base::json::Reader::Mark place) {
  Spec spec;
  if (!read_spec(checker.reader(), place, spec)) return false;
  if (!checker.open({}, spec.pod_template)) return !checker.reader().failed();
  read::Pod& pod = checker.pod();
  // LeaderWorkerSet makes StatefulSets of its groups, whose Pods go by its own labels.
  if (!pod.label(read::Label::lws_name).empty()) return true;
  const std::string first = checker.object().name + "-0";
  pod.owner = {"StatefulSet", checker.object().name, {}};
  pod.name = pod.hostname = first;
  pod.subdomain = spec.service_name;
  checker.label(read::Label::pod_index, "0");
  checker.report(checker.decide());
  if (!check_template(checker, spec.pod_template, "StatefulSet")) return false;
  if (!check_order(checker, spec)) return false;
  const topology::Slice* slice = checker.slice();
  const std::uint64_t replicas = controllers::one_or(spec.replicas);
  if (slice == nullptr || !slice->multi_host()) return true;
  checker.add_slices(replicas / slice->hosts);
  if (replicas % slice->hosts == 0) return true;
  checker.add(Finding::statefulset_size,
              count_in_words("replicas", spec.replicas) + ", but " + hosts_by_arithmetic(*slice) +
                  ": expected a multiple of it, or the last slice waits forever");
  return true;
}

}  // namespace tpuwh::webhook::validate
