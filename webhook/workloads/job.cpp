#include "webhook/workloads/job.hpp"

namespace tpuwh::webhook::workloads {

namespace {

bool claims(const read::Pod& pod) {
  return pod.owner.kind == "Job" || !pod.label(read::Label::job_name).empty() ||
         !pod.label(read::Label::job_name_legacy).empty();
}

constexpr std::string_view cel = R"(owner_kind == 'Job' ||
labels[?'batch.kubernetes.io/job-name'].orValue('') != '' ||
labels[?'job-name'].orValue('') != '')";

}  // namespace

std::string_view job_name(const read::Pod& pod) {
  if (const auto name = pod.label(read::Label::job_name); !name.empty()) return name;
  if (const auto name = pod.label(read::Label::job_name_legacy); !name.empty()) return name;
  return pod.owner.kind == "Job" ? pod.owner.name : std::string_view();
}

IndexLabel completion_index(const read::Pod& pod) {
  // The label came with Kubernetes 1.28, the annotation is older and still written.
  const auto label = pod.label(read::Label::job_completion_index);
  return {read::spelled(read::Label::job_completion_index),
          label.empty() ? pod.annotation(read::Annotation::job_completion_index) : label};
}

void key_by_job(const read::Pod& pod, std::string_view ns, Member& member) {
  const auto label = pod.label(read::Label::job_uid);
  const std::string_view uid =
      pod.owner.kind == "Job" && !pod.owner.uid.empty() ? pod.owner.uid : label;
  if (uid.empty())
    member.set_key({ns, "Job", job_name(pod)});
  else
    member.set_key({uid});
}

namespace {

void identify(const WorkloadContext& context, Member& member) {
  const read::Pod& pod = context.pod;
  member.kind = "Job";
  member.group = job_name(pod);
  member.host = completion_index(pod);
  member.names.stem = member.group;
  member.subdomain = pod.subdomain;
  key_by_job(pod, context.ns, member);
  member.index_names_slice = true;
  if (member.group.empty())
    member.incomplete = "neither label batch.kubernetes.io/job-name nor the owner names the Job";
  else if (!member.host.present())
    member.incomplete =
        "the Pod has no completion index, so it is not known which host of the slice it is; set "
        "completionMode: Indexed on the Job";
}

constexpr ObjectKind objects[] = {
    {.group = "batch", .versions = {"v1"}, .kind = "Job", .resource = "jobs"},
    {.group = "batch",
     .versions = {"v1"},
     .kind = "CronJob",
     .resource = "cronjobs",
     .makes_pods = false},
};

}  // namespace

const Workload job_workload{.name = "job",
                            .kind = config::WorkloadKind::job,
                            .claims = claims,
                            .cel = cel,
                            .identify = identify,
                            .host_from = "the Job's completion index",
                            .service_selects = ", by their label batch.kubernetes.io/job-name",
                            .makes_again = false,
                            .objects = objects};

}  // namespace tpuwh::webhook::workloads
