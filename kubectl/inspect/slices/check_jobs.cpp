// MEGASCALE_*: what the slices of one job say about each other.
#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/inspect/slices/host_list.hpp"
#include "kubectl/inspect/slices/recreate.hpp"
#include "kubectl/print/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace tpuwh::server::slices {

namespace {

using base::printable;
using webhook::read::Variable;
using Job = std::vector<const SliceReport*>;

// MegaScale jobs have tens of slices; a stranger's label can say anything.
constexpr std::uint32_t most_slices = 65'536;

// What the members of a slice say; nothing where none says it, or it is not known.
struct Said {
  std::optional<std::string> text;
  const SeenPod* pod = nullptr;    // who says so
  const SeenPod* other = nullptr;  // who says something else
  std::optional<std::string> other_text = {};
};

// Short and long, one DNS name is one.
bool is_same(Variable variable, const std::optional<std::string>& a,
             const std::optional<std::string>& b) {
  if (a == b) return true;
  if (!a || !b || variable != Variable::megascale_coordinator_address) return false;
  const auto left = split_port(*a), right = split_port(*b);
  const auto& [longer, shorter] = left.host.size() > right.host.size()
                                      ? std::pair(left.host, right.host)
                                      : std::pair(right.host, left.host);
  return left.port == right.port && longer.size() > shorter.size() && longer.starts_with(shorter) &&
         longer[shorter.size()] == '.' && shorter.find('.') != shorter.npos;
}

Said said_by(const SliceReport& slice, Variable variable) {
  Said said;
  for (const SeenPod* pod : slice.staying) {
    if (pod->impossible || is_unmutated(*pod)) continue;  // told of already
    for (const TpuProcess& process : pod->processes) {
      const EnvValue& value = process[variable];
      if (value.kind == EnvValue::Kind::unknown) continue;
      const auto text = value.literal() ? std::optional(value.text) : std::nullopt;
      if (said.pod == nullptr) {
        said.pod = pod;
        said.text = text;
      } else if (!is_same(variable, text, said.text)) {
        said.other = pod;
        said.other_text = text;
      }
    }
  }
  return said;
}

std::string quoted(const std::optional<std::string>& text) {
  return text ? "\"" + printable(*text, 100) + "\"" : "not set";
}

constexpr std::array alike_in_slice = {Variable::megascale_num_slices, Variable::megascale_slice_id,
                                       Variable::megascale_coordinator_address};
constexpr std::array alike_in_job = {Variable::megascale_num_slices,
                                     Variable::megascale_coordinator_address};

void find_disagreeing_members(const SliceReport& slice, Findings& findings) {
  for (const Variable variable : alike_in_slice) {
    const Said said = said_by(slice, variable);
    if (said.other == nullptr) continue;
    findings.error(
        "megascale-differs", slice, {said.pod, said.other},
        fmt::format(
            "{} is {} on Pod {} and {} on Pod {}; expected the same value in the whole slice",
            webhook::read::name(variable), quoted(said.text), said.pod->name,
            quoted(said.other_text), said.other->name),
        recreate_hint(slice, {variable}));
  }
}

void find_disagreeing_slices(const Job& job, Findings& findings) {
  for (const Variable variable : alike_in_job) {
    const Said first = said_by(*job.front(), variable);
    for (const SliceReport* slice : job) {
      const Said said = said_by(*slice, variable);
      if (said.pod == nullptr || first.pod == nullptr) continue;
      if (is_same(variable, said.text, first.text)) continue;
      findings.error(
          "megascale-differs", *slice, slice->staying,
          fmt::format("{} is {} here and {} in {}; expected the same value in all slices of a job",
                      webhook::read::name(variable), quoted(said.text), quoted(first.text),
                      job.front()->full_name()),
          recreate_hint(*slice, {variable}));
    }
  }
}

// NUM_SLICES against what the owner says, and SLICE_ID against NUM_SLICES.
void find_wrong_count(const SliceReport& slice, Findings& findings) {
  const Said said = said_by(slice, Variable::megascale_num_slices);
  if (!said.text || said.text->empty()) return;
  const auto count = base::plain_decimal(*said.text);
  if (!count || (slice.slices > 0 && *count != slice.slices))
    findings.error("megascale-slices", slice, slice.staying,
                   fmt::format("MEGASCALE_NUM_SLICES is {}; expected {}", quoted(said.text),
                               slice.slices > 0 ? fmt::format("{}, as {} {} says", slice.slices,
                                                              slice.kind, slice.group)
                                                : "a whole number"),
                   recreate_hint(slice, {Variable::megascale_num_slices}));
  const Said id = said_by(slice, Variable::megascale_slice_id);
  const auto number = id.text ? base::plain_decimal(*id.text) : std::nullopt;
  if (count && id.pod != nullptr && (!number || *number >= *count))
    findings.error(
        "megascale-slices", slice, slice.staying,
        fmt::format("MEGASCALE_SLICE_ID is {}; expected a number from 0 to {}, for {}",
                    quoted(id.text), std::max(*count, 1u) - 1, base::counted(*count, "slice")),
        recreate_hint(slice, {Variable::megascale_slice_id}));
}

void find_repeated_ids(const Job& job, Findings& findings) {
  std::map<std::string, const SliceReport*> by_id;
  for (const SliceReport* slice : job) {
    const Said said = said_by(*slice, Variable::megascale_slice_id);
    if (!said.text || said.text->empty()) continue;
    const auto [found, fresh] = by_id.try_emplace(*said.text, slice);
    if (fresh) continue;
    findings.error("megascale-slices", *slice, slice->staying,
                   fmt::format("MEGASCALE_SLICE_ID is {} here and in {}; expected a different one "
                               "in each slice of the job",
                               quoted(said.text), found->second->full_name()),
                   recreate_hint(*slice, {Variable::megascale_slice_id}));
  }
}

// Host 0 of a slice, by its worker id, else by its labels.
const SeenPod* first_host(const SliceReport& slice) {
  if (const auto found = slice.worker_ids.find(0); found != slice.worker_ids.end())
    return found->second.front();
  for (const SeenPod* pod : slice.staying)
    if (pod->host == 0u) return pod;
  return nullptr;
}

// "train-w" of "train-w-0-1.train", the name of a host of a JobSet; "" of another.
std::string_view job_of_host(std::string_view host) {
  host = host.substr(0, host.find('.'));
  for (int number = 0; number < 2; ++number) {
    const auto dash = host.rfind('-');
    if (dash == host.npos || !base::plain_decimal(host.substr(dash + 1))) return {};
    host = host.substr(0, dash);
  }
  return host;
}

// Of another replicated job of the same JobSet: with Pathways its head is the coordinator.
bool is_of_another_job(const SliceReport& slice, std::string_view host) {
  if (slice.staying.front()->workload != webhook::config::WorkloadKind::jobset) return false;
  const std::string_view job = job_of_host(host);
  return job.starts_with(slice.group + "-") && job != slice.group + "-" + slice.part;
}

void find_coordinator(const Job& job, Findings& findings) {
  for (const SliceReport* slice : job) {
    const Said id = said_by(*slice, Variable::megascale_slice_id);
    const Said said = said_by(*slice, Variable::megascale_coordinator_address);
    const SeenPod* first = first_host(*slice);
    if (id.text != "0" || !said.text || first == nullptr || first->subdomain.empty()) continue;
    const std::string_view host = split_port(*said.text).host;
    if (resolves_to(host, *first) || is_of_another_job(*slice, host)) continue;
    findings.error(
        "megascale-coordinator", *slice, {first},
        fmt::format(
            "MEGASCALE_COORDINATOR_ADDRESS is {}, but host 0 of slice 0 is Pod {}; expected {}",
            quoted(said.text), first->name, dns_name(*first)),
        recreate_hint(*slice, {Variable::megascale_coordinator_address}));
  }
}

bool speaks_of_slices(const SliceReport& slice) {
  return std::ranges::any_of(
      alike_in_slice, [&](Variable variable) { return said_by(slice, variable).text.has_value(); });
}

// Slices of which no Pod is there, alive or ended: the others wait for them.
void find_missing_slices(const Job& job, const std::vector<SliceReport>& all, Findings& findings) {
  const SliceReport& first = *job.front();
  if (!first.slice || first.slices == 0 || first.slices > most_slices) return;
  std::set<std::uint32_t> there;
  for (const SliceReport& slice : all)
    if (slice.job_key == first.job_key && slice.slice) there.insert(*slice.slice);
  std::vector<std::uint32_t> missing;
  for (std::uint32_t slice = 0; slice < first.slices; ++slice)
    if (!there.contains(slice)) missing.push_back(slice);
  if (missing.empty()) return;
  findings.warn(
      "incomplete", first, {},
      fmt::format("the job has {}, but {} {} no Pod; expected a Pod for each host of all, or the "
                  "other slices wait forever",
                  base::counted(first.slices, "slice"),
                  (missing.size() == 1 ? "slice " : "slices ") + print::as_ranges(missing),
                  missing.size() == 1 ? "has" : "have"),
      fmt::format("if the job is not just starting or ending, see why the Pods are not "
                  "created, and whether {} {}/{} should have that many slices",
                  first.kind, first.ns, first.group));
}

}  // namespace

void check_jobs(const std::vector<SliceReport>& slices, Findings& findings) {
  std::map<std::string, Job> jobs;
  for (const SliceReport& slice : slices)
    if (!slice.staying.empty()) jobs[slice.job_key].push_back(&slice);
  for (const auto& [key, job] : jobs) {
    if (!std::ranges::any_of(job, [](const SliceReport* s) { return speaks_of_slices(*s); }))
      continue;
    for (const SliceReport* slice : job) {
      find_disagreeing_members(*slice, findings);
      find_wrong_count(*slice, findings);
    }
    find_disagreeing_slices(job, findings);
    find_repeated_ids(job, findings);
    find_coordinator(job, findings);
    find_missing_slices(job, slices, findings);
  }
}

}  // namespace tpuwh::server::slices
