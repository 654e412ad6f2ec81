#include "webhook/validate/jobset.hpp"

#include "base/names.hpp"
#include "webhook/validate/job.hpp"
#include "webhook/validate/readiness.hpp"

#include <vector>

namespace tpuwh::webhook::validate {

namespace {

struct Network {
  bool has_names = true;  // enableDNSHostnames
  bool published = true;  // publishNotReadyAddresses
  std::string_view subdomain;
};

struct ReplicatedJob {
  std::string_view name, waits_for_ready;  // the last that it depends on to be Ready
  bool after_others = false;               // it depends on one to be Complete
  std::optional<std::uint32_t> replicas;
  JobTemplate job;
};

bool read_job_of(base::json::Reader& in, ReplicatedJob& replicated) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key != "spec") return in.skip();
    return in.first(seen, 0) && (in.take_null() || read_job_template(in, replicated.job));
  });
}

bool read_depends_on(base::json::Reader& in, ReplicatedJob& replicated) {
  if (in.take_null()) return true;
  return in.array([&](std::size_t) {
    std::string_view name, status;
    const bool read = in.object([&](std::string_view key) {
      if (key == "name") return base::json::optional_text(in, name);
      return key == "status" ? base::json::optional_text(in, status) : in.skip();
    });
    if (status == "Ready") replicated.waits_for_ready = name;
    replicated.after_others = replicated.after_others || status == "Complete";
    return read;
  });
}

bool read_replicated_job(base::json::Reader& in, ReplicatedJob& replicated) {
  return in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "name") return in.first(seen, 0) && base::json::optional_text(in, replicated.name);
    if (key == "replicas") return in.first(seen, 1) && optional_count(in, replicated.replicas);
    if (key == "template") return in.first(seen, 2) && read_job_of(in, replicated);
    if (key == "dependsOn") return in.first(seen, 3) && read_depends_on(in, replicated);
    return in.skip();
  });
}

controllers::ReplicatedJobWords words_of(const Checker& checker, const ReplicatedJob& replicated) {
  return {.jobset = checker.object().name,
          .name = bounded(replicated.name),
          .replicas = controllers::one_or(replicated.replicas),
          .completions = is_indexed(replicated.job, controllers::JobMaker::jobset)
                             ? replicated.job.completions
                             : std::nullopt};
}

// What JobSet and the Job controller write on Pod 0 of Job 0. False where its
// Pods are no slice of several hosts.
bool check_replicated_job(Checker& checker, const ReplicatedJob& replicated,
                          const Network& network) {
  if (!replicated.job.pod_template) return false;
  const bool indexed = is_indexed(replicated.job, controllers::JobMaker::jobset);
  if (!checker.open({"replicated job ", replicated.name}, replicated.job.pod_template,
                    "template.spec.template"))
    return false;
  const std::string_view jobset = checker.object().name;
  const std::string job = checker.object().name + "-" + std::string(replicated.name) + "-0";
  const std::string host = job + "-0";
  const std::string replicas = std::to_string(controllers::one_or(replicated.replicas));
  label_completion(checker, job);
  checker.label(read::Label::jobset_name, jobset);
  checker.label(read::Label::jobset_replicated_job, replicated.name);
  checker.label(read::Label::jobset_replicas, replicas);
  checker.label(read::Label::jobset_job_index, "0");
  read::Pod& pod = checker.pod();
  if (indexed)
    pod.hostname = host;
  else
    checker.label(read::Label::job_completion_index, {});
  if (network.has_names)
    pod.subdomain = network.subdomain.empty() ? jobset : bounded(network.subdomain);
  checker.report(checker.decide());
  checker.add_refusals(controllers::refusals_of_jobset(words_of(checker, replicated)));
  if (!below("template.spec",
             check_job_refusals(checker, replicated.job, job, controllers::JobMaker::jobset),
             checker.reader()))
    return false;
  const topology::Slice* slice = checker.slice();
  if (!indexed || slice == nullptr) return false;
  const JobMisfit misfit = job_misfit(replicated.job, *slice, slice->hosts);
  if (!misfit.too_few.empty()) checker.wrong_size(Finding::jobset_too_few, misfit.too_few);
  if (!misfit.too_many.empty()) checker.add(Finding::completions_too_many, misfit.too_many);
  if (slice->multi_host())
    checker.add_slices(controllers::one_or(replicated.replicas), replicated.after_others);
  return slice->multi_host();
}

bool read_network(base::json::Reader& in, Network& network) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "enableDNSHostnames")
      return in.first(seen, 0) && base::json::optional_flag(in, network.has_names);
    if (key == "subdomain")
      return in.first(seen, 1) && base::json::optional_text(in, network.subdomain);
    if (key == "publishNotReadyAddresses")
      return in.first(seen, 2) && base::json::optional_flag(in, network.published);
    return in.skip();
  });
}

bool read_startup_policy(base::json::Reader& in, bool& in_order) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key != "startupPolicyOrder") return in.skip();
    std::string_view order;
    if (!in.first(seen, 0) || !base::json::optional_text(in, order)) return false;
    in_order = order == "InOrder";
    return true;
  });
}

// Replicated jobs with chips of which the Pods are Ready when their programs say so.
struct ReadyByProgram {
  std::string_view name;
  std::string by;
};

// Made when all Pods of one before it are Ready.
class Order {
 public:
  Order(Checker& checker, bool in_order, bool published)
      : checker_(checker), in_order_(in_order), published_(published) {}

  // Of the template that is open.
  bool check(const ReplicatedJob& job) {
    for (const ReadyByProgram& before : before_)
      if (in_order_ || before.name == job.waits_for_ready) {
        tell(job, before);
        break;
      }
    if (before_.size() >= max_templates) return true;
    ReadyByProgram ready{job.name, {}};
    if (!read_readiness(checker_.reader(), job.job.pod_template, ready.by,
                        "template.spec.template"))
      return false;
    if (ready.by.empty()) return true;
    if (!published_)
      checker_.add(Finding::names_do_not_resolve,
                   "network.publishNotReadyAddresses is false: the hosts resolve when they are "
                   "Ready, which is decided by " +
                       ready.by);
    before_.push_back(std::move(ready));
    return true;
  }

 private:
  void tell(const ReplicatedJob& job, const ReadyByProgram& before) {
    const bool depends = before.name == job.waits_for_ready;
    checker_.add(Finding::made_when_ready,
                 std::string(depends ? "dependsOn" : "startupPolicyOrder: InOrder") +
                     ": its Jobs are created when all Pods of replicated job " +
                     base::printable(before.name) + " are Ready, which is decided by " + before.by +
                     "; if the slices of both are one job, they never meet" +
                     (depends ? "" : ": startupPolicyOrder: AnyOrder creates all at once"));
  }

  Checker& checker_;
  const bool in_order_, published_;
  std::vector<ReadyByProgram> before_;
};

bool read_coordinator(base::json::Reader& in, controllers::CoordinatorWords& out) {
  std::optional<std::uint32_t> job_index, pod_index;
  const bool read = in.object([&](std::string_view key) {
    if (key == "replicatedJob") return base::json::optional_text(in, out.replicated_job);
    if (key == "jobIndex") return optional_number(in, job_index);
    return key == "podIndex" ? optional_number(in, pod_index) : in.skip();
  });
  out.job_index = job_index;
  out.pod_index = pod_index;
  return read;
}

}  // namespace

bool check_jobset(Checker& checker, base::json::Reader::Mark spec) {
  base::json::Reader& in = checker.reader();
  Network network;
  base::json::Reader::Mark jobs, coordinator_place;
  bool in_order = false;
  const bool read = object_at(in, spec, [&](std::string_view key, base::json::Seen& seen) {
    if (key == "network") return in.first(seen, 0) && read_network(in, network);
    if (key == "replicatedJobs") return in.first(seen, 1) && keep_place(in, jobs);
    if (key == "coordinator") return in.first(seen, 2) && keep_place(in, coordinator_place);
    if (key == "startupPolicy") return in.first(seen, 3) && read_startup_policy(in, in_order);
    return in.skip();
  });
  if (!read || !jobs) return read;
  controllers::CoordinatorWords coordinator;
  std::vector<controllers::ReplicatedJobWords> coordinated;  // the job that `coordinator` names
  if (coordinator_place) {
    in.go_to(coordinator_place);
    if (!read_coordinator(in, coordinator)) return false;
  }
  in.go_to(jobs);
  Order order(checker, in_order, network.published);
  const bool each = in.array([&](std::size_t) {
    if (in.take_empty_object()) return true;
    ReplicatedJob replicated;
    if (!read_replicated_job(in, replicated)) return false;
    if (coordinator_place && coordinated.empty() && replicated.name == coordinator.replicated_job)
      coordinated.push_back(words_of(checker, replicated));
    if (check_replicated_job(checker, replicated, network) && !order.check(replicated))
      return false;
    return !in.failed();
  });
  if (!each) in.within("replicatedJobs");
  checker.close();
  if (each && coordinator_place)
    checker.add_refusals(controllers::refusals_of_coordinator(coordinator, coordinated));
  return each;
}

}  // namespace tpuwh::webhook::validate
