#include "webhook/controllers/refusals.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"

#include <algorithm>

namespace tpuwh::webhook::controllers {

namespace {

using base::concat;
using base::printable;

// RFC 1035: as a DNS label, beginning with a letter.
bool is_dns_1035_label(std::string_view text) {
  return base::is_dns_label(text) && text.front() >= 'a';
}

// "has 66 characters, and 63 are allowed" or what else is wrong with it.
std::string no_label(std::string_view name, std::size_t most) {
  if (name.size() > most)
    return "has " + std::to_string(name.size()) + " characters, and " + std::to_string(most) +
           " are allowed";
  return "is not made of lower-case letters, digits and inner dashes, beginning with a letter";
}

// What is there when nothing was written.
std::string_view default_policy(JobMaker maker) {
  return maker == JobMaker::jobset ? "OnFailure" : "Always";
}

std::string policy_in_words(std::string_view written, std::string_view meant) {
  if (written.empty()) return concat({"restartPolicy is missing, which means ", meant});
  return "restartPolicy is " + printable(written);
}

std::string policy_refusal(const JobWords& job, JobMaker maker) {
  const std::string_view policy =
      job.pod.restart_policy.empty() ? default_policy(maker) : job.pod.restart_policy;
  const std::string found = policy_in_words(job.pod.restart_policy, policy);
  if (policy != "OnFailure" && policy != "Never")
    return found + ", and Pods of a Job need OnFailure or Never";
  if (job.has_failure_policy && policy != "Never")
    return found + ", and Pods of a Job with podFailurePolicy need Never";
  return {};
}

std::string completions_refusal(const JobWords& job) {
  if (!job.numbers.indexed || job.numbers.completions || !job.numbers.parallelism) return {};
  return "parallelism is " + std::to_string(*job.numbers.parallelism) +
         " and completions is missing, which an Indexed Job needs";
}

void add(Refusals& out, std::string sentence) {
  if (!sentence.empty()) out.push_back(std::move(sentence));
}

// "train-slice-1" of the last Job, "train-slice-1-3-abcde" of its last Pod.
std::string last_job(const ReplicatedJobWords& job) {
  return concat({job.jobset, "-", job.name, "-", std::to_string(job.replicas - 1)});
}

}  // namespace

Refusals refusals_of_job(const JobWords& job, JobMaker maker) {
  Refusals out;
  add(out, policy_refusal(job, maker));
  if (!job.policy_container.empty())
    add(out, "podFailurePolicy names container " + printable(job.policy_container) +
                 ", which the template does not have");
  add(out, completions_refusal(job));
  if (maker == JobMaker::cron_job && job.selects)
    add(out, "the Jobs of a CronJob have neither a selector nor manualSelector; remove them");
  else if (job.selects_others)
    add(out,
        "selector does not match the labels controller-uid and job-name that the API server gives "
        "to a Job's Pods; remove it");
  return out;
}

Refusals refusals_of_replicas(const TemplateWords& pod, std::string_view kind) {
  Refusals out;
  const std::string pods = concat({"Pods of a ", kind});
  if (!pod.restart_policy.empty() && pod.restart_policy != "Always")
    add(out, policy_in_words(pod.restart_policy, {}) + ", and " + pods + " need Always");
  if (pod.has_deadline) add(out, "activeDeadlineSeconds is set, which " + pods + " cannot have");
  return out;
}

Refusals refusals_of_jobset(const ReplicatedJobWords& job) {
  Refusals out;
  if (job.replicas == 0) return out;
  const std::string name = last_job(job);
  if (!is_dns_1035_label(name))
    add(out, "name " + printable(name, 80) + " of a Job " + no_label(name, base::max_label_length));
  if (!out.empty() || !job.completions || *job.completions == 0) return out;
  const std::string pod = concat({name, "-", std::to_string(*job.completions - 1), "-abcde"});
  if (!is_dns_1035_label(pod))
    add(out, "name " + printable(pod, 80) + " of a Pod " + no_label(pod, base::max_label_length));
  return out;
}

Refusals refusals_of_coordinator(const CoordinatorWords& coordinator,
                                 const std::vector<ReplicatedJobWords>& jobs) {
  const auto job = std::ranges::find(jobs, coordinator.replicated_job, &ReplicatedJobWords::name);
  Refusals out;
  if (job == jobs.end()) {
    add(out, "spec.coordinator names replicated job " + printable(coordinator.replicated_job) +
                 ", which does not exist");
    return out;
  }
  const auto look = [&](std::string_view field, Number index, std::uint64_t number) {
    if (index.value_or(0) >= number)
      add(out,
          concat({"spec.coordinator.", field, " is ", std::to_string(index.value_or(0)), ", and ",
                  "replicated job ", printable(job->name), " has ", std::to_string(number)}));
  };
  look("jobIndex", coordinator.job_index, job->replicas);
  if (job->completions) look("podIndex", coordinator.pod_index, *job->completions);
  return out;
}

Refusals refusals_of_ray(std::string_view kind, std::string_view name) {
  const std::size_t most = kind == "RayCluster" ? 53 : 47;
  Refusals out;
  if (name.size() > most || !is_dns_1035_label(name))
    add(out, concat({"KubeRay 1.4 and later refuse it: the name ", printable(name), " of a ", kind,
                     " ", no_label(name, most)}));
  return out;
}

Refusals refusals_of_ray_group(const RayGroupNumbers& group) {
  Refusals out;
  if (group.least && group.most && *group.least > *group.most)
    add(out,
        concat({"KubeRay 1.6 and later refuse it: minReplicas is ", std::to_string(*group.least),
                ", above maxReplicas ", std::to_string(*group.most)}));
  return out;
}

}  // namespace tpuwh::webhook::controllers
