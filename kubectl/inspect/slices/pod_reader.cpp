#include "kubectl/inspect/slices/pod_reader.hpp"

#include "kubectl/inspect/slices/env_entries.hpp"
#include "kubectl/inspect/slices/pod_status.hpp"
#include "kubectl/inspect/source/snapshot.hpp"
#include "server/text/json_text.hpp"
#include "webhook/decide/decide.hpp"
#include "webhook/ledger/token.hpp"
#include "webhook/read/body.hpp"
#include "webhook/read/claims.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::slices {

namespace {

using webhook::read::Variable;

// Whether variables of the container may come from a ConfigMap or Secret.
bool has_env_from(const Json& container) {
  const Json& from = text::member(container, "envFrom");
  return from.is_array() && !from.empty();
}

const Json& container_of(const Json& object, const webhook::read::Container& container) {
  const Json& list =
      text::member(text::member(object, "spec"), container.init ? "initContainers" : "containers");
  static const Json none;
  return list.is_array() && container.index < list.size() ? list[container.index] : none;
}

// Of valueFrom: a label or an annotation of the Pod itself; nothing of any other source, and of one
// that is not there.
std::optional<std::string> own_field(const Json& object, const Json& entry) {
  const Json& from = text::member(text::member(entry, "valueFrom"), "fieldRef");
  const std::string path = text::text_member(from, "fieldPath");
  for (const char* map : {"labels", "annotations"}) {
    const std::string begin = fmt::format("metadata.{}['", map);
    if (!path.starts_with(begin) || !path.ends_with("']") || path.size() < begin.size() + 2)
      continue;
    const Json* value =
        text::find_member(text::member(text::member(object, "metadata"), map),
                          path.substr(begin.size(), path.size() - begin.size() - 2));
    return value != nullptr && value->is_string() ? std::optional(value->get<std::string>())
                                                  : std::nullopt;
  }
  return std::nullopt;
}

// `entry`: of the container's env.
EnvValue value_of(const Json& object, const Json& entry) {
  if (!text::member(entry, "valueFrom").is_null()) {
    auto own = own_field(object, entry);
    return own ? EnvValue{EnvValue::Kind::literal, *std::move(own)}
               : EnvValue{EnvValue::Kind::unknown};
  }
  std::string value = text::text_member(entry, "value");
  // $(NAME) is put in by the kubelet, from what stands before.
  if (value.find("$(") != std::string::npos) return {EnvValue::Kind::unknown};
  return {EnvValue::Kind::literal, std::move(value)};
}

// Whether the record on the Pod has this value of this container.
bool is_ours(const webhook::facts::Provenance& record, const webhook::read::Container& container,
             Variable variable, const EnvValue& value) {
  const auto* entry = record.find(container.name, variable);
  return entry != nullptr && value.literal() && entry->digest == base::digest(value.text);
}

// As `object` has it, of which `container` says but where it is.
TpuProcess process_of(const webhook::read::Container& container,
                      const webhook::facts::Provenance& record, const Json& object) {
  TpuProcess process{.container = std::string(container.name)};
  const Json& in_object = container_of(object, container);
  if (has_env_from(in_object)) process.env.fill({EnvValue::Kind::unknown});
  const EnvEntries entries = env_entries(in_object);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i] != nullptr) process.env[i] = value_of(object, *entries[i]);
    process.env[i].ours = is_ours(record, container, static_cast<Variable>(i), process.env[i]);
  }
  return process;
}

bool asks_as_resource(const webhook::read::Pod& pod) {
  return std::ranges::any_of(pod.containers,
                             [](const auto& container) { return container.chips() > 0; });
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out.append(part).append("\n");
  return out;
}

// Of Pods of nobody what makes them one slice is their list of hosts.
bool by_list_alone(const webhook::workloads::Member& member, const SeenPod& pod) {
  return pod.kind == "Pod" && !member.hostnames.empty() && !member.slice_in_key;
}

// Members of a slice have it alike, and no others. A host that is a slice alone is known by
// its index, so that a failed Pod and the one that replaced it are the same member.
std::string slice_key(const webhook::decide::Told& told, const SeenPod& pod) {
  const webhook::workloads::Member& member = told.member;
  const bool nobodys = by_list_alone(member, pod);
  std::string key = joined({pod.ns, pod.kind, nobodys ? std::string_view() : pod.group, pod.part});
  if (pod.hosts == 0) return key + "\n" + pod.name;
  for (const std::string_view part : member.key_parts) key.append(part).append("\n");
  if (!pod.host && pod.hosts == 1) return key + pod.name;
  if (!pod.host) return key + (member.slice_in_key ? "?" : "");
  if (pod.hosts == 1 && pod.workload != webhook::config::WorkloadKind::ray)
    key.append(member.host.present() ? member.host.text : std::string_view(pod.name));
  return key;
}

// Slices that form one job: of a replicated job or worker group; those of several owners are
// one by what they say about their coordinator.
std::string job_key(const webhook::decide::Told& told, const SeenPod& pod) {
  const webhook::workloads::Member& member = told.member;
  if (!member.coordinator.empty()) return joined({pod.ns, "", member.coordinator});
  const bool grouped = member.group_slice.present();
  return joined({pod.ns, pod.kind, pod.group, grouped ? std::string_view() : pod.part});
}

// Why the webhook does not say who the Pod is.
std::string reason_of(const webhook::outcome::Decision& decision,
                      const webhook::decide::Told& told) {
  if (!decision.denial.message().empty()) return decision.denial.text();
  const auto& warnings = told.notes.warnings();
  return warnings.empty() ? std::string("nothing on the Pod says which member of a slice it is")
                          : warnings.back().sentence;
}

// Returns whether the Pod gets the variables of a member of a slice with several hosts, or would
// get them if a contradicting value of the user were removed.
bool gives_ids(const webhook::decide::Told& told) {
  const auto kept = [](const auto& each) {
    return each.finding == webhook::findings::Finding::value_kept;
  };
  return std::ranges::any_of(told.notes.warnings(), kept) ||
         std::ranges::any_of(told.envs, [](const webhook::env::ContainerEnv& each) {
           return each.wanted.find(Variable::tpu_worker_id) != nullptr;
         });
}

// What a ledger gives is not on the Pod, and what one host needs its device plugin says.
std::string left_alone(const webhook::outcome::Decision& decision,
                       const webhook::decide::Told& told, const SeenPod& pod) {
  using webhook::outcome::Reason;
  if (!pod.multi_host() || gives_ids(told)) return {};
  const bool of_ray = pod.workload == webhook::config::WorkloadKind::ray;
  // Of a Ray worker the ledger knows more than the Pod says.
  if (of_ray && (decision.reason == Reason::no_place || decision.reason == Reason::no_identity))
    return {};
  // What an injector wrote on this one KubeRay's next one does not have: its name.
  const auto& warnings = told.notes.warnings();
  const bool of_names = told.member.hostnames.empty() && !warnings.empty() &&
                        warnings.back().finding == webhook::findings::Finding::name_contradicts;
  return of_ray && of_names ? std::string() : reason_of(decision, told);
}

SeenPod seen_of(const webhook::read::Pod& pod, const webhook::decide::Told& told,
                const webhook::outcome::Decision& decision) {
  const webhook::facts::Facts& facts = told.facts;
  const webhook::workloads::Member& who = told.member;
  SeenPod out;
  out.ns = pod.ns;
  out.name = pod.name;
  out.hostname = pod.hostname;
  out.subdomain = pod.subdomain;
  out.host_network = pod.host_network;
  out.workload = who.workload;
  out.kind = who.kind;
  out.group = who.group;
  out.part = who.part;
  out.accelerator = told.shape.accelerator;
  out.topology = told.shape.topology;
  out.placed_by_others = told.shape.dynamic;
  out.terms = told.placement.why;
  out.apart = told.placement.apart;
  out.domain_key = told.placement.topology_key;
  out.domain = told.placement.domain;
  for (const webhook::read::Container* each : told.shape.processes)
    out.chips += static_cast<std::uint32_t>(each->chips());
  if (facts.member != nullptr) {
    out.hosts = facts.slice.hosts;
    out.processes_per_host = facts.slice.processes_per_host;
    out.slice_count = facts.slice_count;
  }
  if (facts.placed) out.host = facts.host;
  if (facts.placed && facts.sliced) out.slice = facts.job_slice;
  if (!facts.placed) out.not_placed = reason_of(decision, told);
  out.impossible = decision.reason == webhook::outcome::Reason::bad_topology;
  out.left_alone = left_alone(decision, told, out);
  for (const auto& each : told.notes.warnings())
    if (each.finding == webhook::findings::Finding::node_shared) out.shares_node = each.sentence;
  out.slice_key = slice_key(told, out);
  out.job_key = job_key(told, out);
  return out;
}

// How its containers stand in the object, and what of them is ours.
void take_processes(const webhook::decide::Told& told, const webhook::facts::Provenance& record,
                    const Json& object, SeenPod& out) {
  for (const webhook::read::Container* each : told.shape.processes)
    out.processes.push_back(process_of(*each, record, object));
}

}  // namespace

struct PodReader::Work {
  Work(const webhook::config::Config& given, const webhook::read::ClusterView& view)
      : config(given), cluster(view) {
    config.mode = webhook::config::Mode::enforce;
    config.workloads = webhook::config::WorkloadSet::all();
    for (auto& each : config.per_workload) each.mode.reset();
    review.kind = "Pod";
    review.kind_version = "v1";
    review.operation = "CREATE";
    review.has_object = true;
  }

  webhook::config::Config config;
  const webhook::read::ClusterView& cluster;
  base::json::Reader reader;
  webhook::read::Review review;
  webhook::read::Pod pod;
  webhook::read::TakenClaims claims;
  webhook::decide::Kept kept;
  webhook::decide::Told told;
  std::string placement_key;

  bool parse(std::string& text) {
    pod.clear();
    reader.clear_error();
    return reader.start(webhook::read::Body(text).bytes()) &&
           webhook::read::read_pod(reader, config.prefix, pod) && reader.finish();
  }

  void take_claims() {
    claims.clear();
    if (pod.may_claim()) webhook::read::take_claimed_chips(pod, pod.ns, cluster, claims);
  }

  // As at admission; where a ledger gave the place, what is on the Pod says it again.
  webhook::outcome::Decision decide(const Json& object) {
    auto decision =
        webhook::decide::decide(review, pod, {config, cluster, nullptr, &claims}, kept, told);
    if (!decision.asks_ledger) return decision;
    webhook::ledger::PlaceAnswer answer;
    answer.why =
        "nothing on the Pod says which member of its worker group it is: no label of "
        "KubeRay, of tpu-webhook or replicaIndex with TPU_WORKER_ID";
    auto place = webhook::ledger::place_of_token(pod.label(webhook::read::Label::token));
    if (!place) place = source::place_of_ray_worker(object);
    if (place) {
      answer.kind = webhook::ledger::PlaceAnswer::Kind::given;
      answer.place = *place;
      answer.token = pod.label(webhook::read::Label::token);
    }
    return webhook::decide::decide(review, pod, {config, cluster, &answer, &claims}, kept, told);
  }
};

// An extended resource of which a DeviceClass says that a driver has it: the scheduler makes the
// claim (source: k8s.io/api/core/v1 types.go v1.37.2, PodExtendedResourceClaimStatus).
bool served_by_driver(const Json& pod) {
  const Json& claim = text::member(text::member(pod, "status"), "extendedResourceClaimStatus");
  return std::ranges::any_of(text::member(claim, "requestMappings"), [](const Json& each) {
    return webhook::read::asks_for_chips(text::text_member(each, "resourceName"));
  });
}

PodReader::PodReader(const webhook::config::Config& config,
                     const webhook::read::ClusterView& cluster)
    : work_(std::make_unique<Work>(config, cluster)) {}

PodReader::~PodReader() = default;

const std::string& PodReader::placement_key() const {
  return work_->placement_key;
}

Result<std::optional<SeenPod>> PodReader::read(const Json& object) {
  std::string text = text::dump_json(object);  // what `pod` is of points into it
  if (!work_->parse(text)) return work_->reader.error();
  webhook::read::Pod& pod = work_->pod;
  work_->placement_key = pod.label(webhook::read::Label::slice_key);
  const bool by_claim = (pod.may_claim() && !asks_as_resource(pod)) || served_by_driver(object) ||
                        std::ranges::any_of(pod.containers, &webhook::read::Container::by_claim);
  work_->take_claims();
  const bool opted_out = pod.annotation(webhook::read::Annotation::inject) == "false";
  // Left alone or not checked it is a member all the same.
  for (const auto each : {webhook::read::Annotation::inject, webhook::read::Annotation::skip_check})
    pod.annotation_values.forget(each);
  const auto decision = work_->decide(object);
  if (decision.reason == webhook::outcome::Reason::no_tpu) return std::optional<SeenPod>();
  SeenPod out = seen_of(pod, work_->told, decision);
  out.placement_key = work_->placement_key;
  out.by_claim = by_claim;
  if (opted_out) out.left_alone = "its annotation " + work_->config.prefix + "inject is \"false\"";
  take_processes(work_->told, work_->told.before, object, out);
  read_status(object, out);
  return std::optional<SeenPod>(std::move(out));
}

std::optional<SeenPod> seen_in_answer(const webhook::answer::Answer& answer, const Json& after,
                                      const std::string& prefix) {
  using webhook::read::Annotation;
  if (answer.told == nullptr || answer.summary.shadow) return std::nullopt;
  const webhook::decide::Told& told = *answer.told;
  const webhook::read::Pod& pod = *told.facts.pod;
  if (!pod.claims.empty() || pod.annotation(Annotation::skip_check) == "true") return std::nullopt;
  SeenPod out = seen_of(pod, told, {.reason = answer.summary.reason});
  const Json& spec = text::member(after, "spec");
  out.hostname = text::text_member(spec, "hostname");
  out.subdomain = text::text_member(spec, "subdomain");
  const Json& metadata = text::member(after, "metadata");
  out.placement_key = text::text_member(text::member(metadata, "labels"), prefix + "slice-key");
  const std::string injected =
      text::text_member(text::member(metadata, "annotations"), prefix + "injected");
  webhook::facts::Provenance record;  // views it
  record.parse(injected);
  take_processes(told, record, after, out);
  read_status(after, out);
  return out;
}

}  // namespace tpuwh::server::slices
