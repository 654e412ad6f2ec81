#include "webhook/validate/job.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "webhook/validate/apps.hpp"

#include <algorithm>

namespace tpuwh::webhook::validate {

namespace {

// A plain Job may be told to be several slices (docs/contract.md#annotations-for-users).
std::uint32_t slices_of(const read::Pod& pod) {
  const auto count = base::plain_decimal(pod.annotation(read::Annotation::slice_count));
  const bool split = count && pod.annotation(read::Annotation::slice_id).empty();
  return split ? std::clamp(*count, 1u, 1u << 11) : 1;
}

std::string pods_of(const topology::Slice& slice, std::uint32_t expected) {
  if (expected == slice.hosts) return hosts_by_arithmetic(slice);
  return hosts_by_arithmetic(slice) + ", times " + std::to_string(expected / slice.hosts) +
         " slices: " + std::to_string(expected);
}

}  // namespace

bool read_job_template(base::json::Reader& in, JobTemplate& job) {
  return in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "completions") return in.first(seen, 0) && optional_number(in, job.completions);
    if (key == "parallelism") return in.first(seen, 1) && optional_number(in, job.parallelism);
    if (key == "completionMode")
      return in.first(seen, 2) && base::json::optional_text(in, job.completion_mode);
    if (key == "template") return in.first(seen, 3) && keep_place(in, job.pod_template);
    if (key == "selector") return in.first(seen, 4) && keep_place(in, job.selector);
    if (key == "manualSelector")
      return in.first(seen, 5) && base::json::optional_flag(in, job.manual_selector);
    if (key == "podFailurePolicy") return in.first(seen, 6) && keep_place(in, job.failure_policy);
    return in.skip();
  });
}

bool is_indexed(const JobTemplate& job, controllers::JobMaker maker) {
  return job.completion_mode == "Indexed" ||
         (maker == controllers::JobMaker::jobset && job.completion_mode.empty());
}

void label_completion(Checker& checker, std::string_view job_name) {
  checker.pod().owner = {"Job", job_name, {}};
  checker.label(read::Label::job_name, job_name);
  checker.label(read::Label::job_completion_index, "0");
}

JobMisfit job_misfit(const JobTemplate& job, const topology::Slice& slice, std::uint32_t expected) {
  if (!slice.multi_host() || !job.completions) return {};
  const std::uint32_t completions = *job.completions;
  const std::uint64_t parallelism = controllers::one_or(job.parallelism);
  const std::string pods = pods_of(slice, expected);
  JobMisfit misfit;
  if (completions < expected)
    misfit.too_few = "completions is " + std::to_string(completions) + ", but " + pods;
  else if (parallelism > 0 && parallelism < expected)  // 0 is how a Job is held
    misfit.too_few = count_in_words("parallelism", job.parallelism) + ", but " + pods +
                     ", which must run at the same time";
  if (completions > expected)
    misfit.too_many = "completions is " + std::to_string(completions) + ", but " + pods +
                      "; Pods from index " + std::to_string(expected) +
                      " on are refused, so the Job never completes";
  return misfit;
}

namespace {

// Returns a sentence if Kueue's partial admission may leave too few Pods for the slice, else "".
// Partial admission, where it is switched on, applies only to a Job in a queue, and only lowers the
// number of Pods.
//
//   source  kueue v0.19 pkg/controller/jobs/job/job_controller.go JobMinParallelismAnnotation
std::string admitted_with_fewer(const Checker& checker, const topology::Slice& slice,
                                std::uint32_t expected) {
  const auto least = base::plain_decimal(checker.queued().min_parallelism);
  if (!slice.multi_host() || !least || *least >= expected) return {};
  return "annotation kueue.x-k8s.io/job-min-parallelism lets Kueue start it with " +
         base::counted(*least, "Pod") + ", but " + pods_of(slice, expected) +
         ", which must run at the same time";
}

// Returns whether Kueue may start the Job with fewer Pods. Adds a fault if Kueue refuses the number
// in the annotation.
bool may_be_lowered(Checker& checker, const JobTemplate& job) {
  const std::string_view text = checker.queued().min_parallelism;
  if (!checker.queued().has_queue || text.empty()) return false;
  const auto least = base::plain_decimal(text);
  const std::uint64_t most = controllers::one_or(job.parallelism);
  if (least.value_or(0) > 0 && *least < most) return true;
  checker.add(Finding::controller_refuses,
              "annotation kueue.x-k8s.io/job-min-parallelism is " + base::printable(text) +
                  ", and Kueue takes a number from 1 to parallelism - 1 (" +
                  std::to_string(std::max<std::uint64_t>(most, 1) - 1) + ")");
  return false;
}

// A plain Job of one Pod is also how people look at one host of a slice (a Pod that prints
// its chips), so a wrong size is not a fault of it.
bool check_job_named(Checker& checker, base::json::Reader::Mark spec, const std::string& name,
                     controllers::JobMaker maker) {
  base::json::Reader& in = checker.reader();
  JobTemplate job;
  if (!spec) return true;
  in.go_to(spec);
  if (!read_job_template(in, job)) return false;
  const bool indexed = is_indexed(job, maker);
  if (!checker.open({}, job.pod_template)) return !in.failed();
  read::Pod& pod = checker.pod();
  const std::string host = name + "-0";
  label_completion(checker, name);
  if (indexed)
    pod.hostname = host;
  else
    checker.label(read::Label::job_completion_index, {});
  report_alike(checker, checker.decide(), "a Job that is not Indexed",
               "set completionMode: Indexed");
  if (!check_job_refusals(checker, job, name, maker)) return false;
  const topology::Slice* slice = checker.slice();
  if (!indexed || slice == nullptr) return true;
  const std::uint32_t slices = slices_of(pod);
  checker.add_slices(slices);
  const std::uint32_t expected = slice->hosts * slices;
  const bool lowered = may_be_lowered(checker, job);
  if (const std::string fewer = admitted_with_fewer(checker, *slice, expected); !fewer.empty())
    checker.add(Finding::job_too_few, fewer);
  const JobMisfit misfit = job_misfit(job, *slice, expected);
  if (!misfit.too_few.empty())
    checker.add(Finding::job_too_few,
                misfit.too_few + "; a program that uses the whole slice waits forever");
  if (misfit.too_many.empty()) return true;
  if (lowered)
    checker.add(Finding::completions_too_many,
                misfit.too_many +
                    "; allowed, because annotation kueue.x-k8s.io/job-min-parallelism lets Kueue "
                    "start it with fewer",
                Level::warn);
  else
    checker.add(Finding::completions_too_many, misfit.too_many);
  return true;
}

}  // namespace

bool check_job(Checker& checker, base::json::Reader::Mark spec) {
  return check_job_named(checker, spec, checker.object().name, controllers::JobMaker::person);
}

bool check_cron_job(Checker& checker, base::json::Reader::Mark spec) {
  base::json::Reader& in = checker.reader();
  base::json::Reader::Mark job_template;
  WorkloadObject job;
  // Its Jobs are named by the minute that they are for, of eight digits until the year 2160.
  const std::string name = checker.object().name + "-29000000";
  if (!member_at(in, spec, "jobTemplate", job_template)) return false;
  if (!job_template) return true;
  in.go_to(job_template);
  if (!below("jobTemplate", read_object(in, job), in)) return false;
  checker.set_queued(job);
  return below("jobTemplate.spec",
               check_job_named(checker, job.spec, name, controllers::JobMaker::cron_job), in);
}

}  // namespace tpuwh::webhook::validate
