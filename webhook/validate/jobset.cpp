#include "webhook/validate/jobset.hpp"

#include "webhook/validate/job.hpp"

namespace tpuwh::webhook::validate {

namespace {

struct Network {
  bool has_names = true;  // enableDNSHostnames
  std::string_view subdomain;
};

struct ReplicatedJob {
  std::string_view name;
  std::optional<std::uint32_t> replicas;
  JobTemplate job;
};

bool read_job_of(text::JsonReader& in, ReplicatedJob& replicated) {
  if (in.take_null()) return true;
  text::Seen seen = 0;
  return in.object([&](std::string_view key) {
    if (key != "spec") return in.skip();
    return in.first(seen, 0) && (in.take_null() || read_job_template(in, replicated.job));
  });
}

bool read_replicated_job(text::JsonReader& in, ReplicatedJob& replicated) {
  text::Seen seen = 0;
  return in.object([&](std::string_view key) {
    if (key == "name") return in.first(seen, 0) && text::optional_text(in, replicated.name);
    if (key == "replicas") return in.first(seen, 1) && optional_number(in, replicated.replicas);
    if (key == "template") return in.first(seen, 2) && read_job_of(in, replicated);
    return in.skip();
  });
}

// What JobSet and the Job controller write on Pod 0 of Job 0.
void check_replicated_job(Checker& checker, const ReplicatedJob& replicated,
                          const Network& network) {
  if (!checker.open({"replicated job ", replicated.name}, replicated.job.pod_template,
                    "template.spec.template"))
    return;
  const std::string_view jobset = checker.object().name;
  const std::string job = checker.object().name + "-" + std::string(replicated.name) + "-0";
  const std::string host = job + "-0";
  const std::string replicas = std::to_string(replicated.replicas.value_or(1));
  // JobSet's default is Indexed.
  const bool indexed =
      replicated.job.completion_mode.empty() || replicated.job.completion_mode == "Indexed";
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
  const topology::Slice* slice = checker.slice();
  if (!indexed || slice == nullptr) return;
  const JobMisfit misfit = job_misfit(replicated.job, *slice, slice->hosts);
  if (!misfit.too_few.empty()) checker.wrong_size(Finding::jobset_too_few, misfit.too_few);
  if (!misfit.too_many.empty()) checker.add(Finding::completions_too_many, misfit.too_many);
}

bool read_network(text::JsonReader& in, Network& network) {
  if (in.take_null()) return true;
  text::Seen seen = 0;
  return in.object([&](std::string_view key) {
    if (key == "enableDNSHostnames")
      return in.first(seen, 0) && text::optional_flag(in, network.has_names);
    if (key == "subdomain") return in.first(seen, 1) && text::optional_text(in, network.subdomain);
    return in.skip();
  });
}

}  // namespace

bool check_jobset(Checker& checker, text::JsonReader::Mark spec) {
  text::JsonReader& in = checker.reader();
  Network network;
  text::JsonReader::Mark jobs;
  text::Seen seen = 0;
  const bool read = object_at(in, spec, [&](std::string_view key) {
    if (key == "network") return in.first(seen, 0) && read_network(in, network);
    if (key == "replicatedJobs") return in.first(seen, 1) && keep_place(in, jobs);
    return in.skip();
  });
  if (!read || !jobs) return read;
  in.go_to(jobs);
  const bool each = in.array([&](std::size_t) {
    ReplicatedJob replicated;
    if (!read_replicated_job(in, replicated)) return false;
    check_replicated_job(checker, replicated, network);
    return !in.failed();
  });
  if (!each) in.within("replicatedJobs");
  return each;
}

}  // namespace tpuwh::webhook::validate
