// Explanations made by hand: a job of a few slices, one of thousands of hosts, one of hostile
// names.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "topology/catalog.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace tpuwh::server::explain {

// What somebody may try to break a page with; the last is what no JSON holds.
inline const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts{"<img src=x onerror=alert(1)>",
                                              "\"><script>alert(1)</script>",
                                              "' onmouseover='alert(1)",
                                              "</title></style></svg><script>alert(1)</script>",
                                              "]]><!-- --!>",
                                              "&lt;b&gt; &amp;",
                                              std::string("nul\0l", 5),
                                              "not utf-8: \xff\xc0\xaf\xed\xa0\x80\xf5\x80\x80\x80",
                                              "cut: \xe2\x82",
                                              "right to left: \u202egnp.exe",
                                              "no width: \u200b\ufeff, line: \u2028",
                                              "escape: \x1b[31m\r\n\t\x7f"};
  return texts;
}

inline Member made_member(const std::string& slice, std::uint32_t host) {
  return {.pod = fmt::format("{}-{}", slice, host),
          .host = host,
          .worker_ids = {host},
          .variables = {{"main", "TPU_WORKER_ID", std::to_string(host), false, true, "its host"}}};
}

inline Slice made_slice(const std::string& job, std::uint32_t index, std::uint32_t hosts) {
  Slice slice;
  slice.index = index;
  slice.name = fmt::format("{}-{}", job, index);
  for (std::uint32_t host = 0; host < hosts; ++host)
    slice.members.push_back(made_member(slice.name, host));
  slice.variables = {
      {"main", "MEGASCALE_SLICE_ID", std::to_string(index), false, true, "index of its job"}};
  return slice;
}

inline Group made_group(const std::string& accelerator, const std::string& topology,
                        std::uint32_t slices) {
  Group group;
  group.accelerator = accelerator;
  group.topology = topology;
  group.chips_per_host = 4;
  group.pool = *topology::layout::node_pool(*topology::find_generation(accelerator),
                                            *topology::Dims::parse(topology), 4);
  group.pool_options.slices = slices;
  group.hosts = group.pool->slice.hosts;
  group.pods = std::uint64_t{slices} * group.hosts;
  group.slices_of_job = slices > 1 ? slices : 0;
  for (std::uint32_t i = 0; i < slices; ++i)
    group.slices.push_back(made_slice("train-slice", i, group.hosts));
  group.variables = {{"main", "TPU_TOPOLOGY", topology, false, true, "selector of the Pod"},
                     {"main", "POD_NAME", "metadata.name", true, false, ""},
                     {"main", "TPU_WORKER_HOSTNAMES", "train-slice-0-0.train,train-slice-0-1.train",
                      false, true, "names of its hosts, in the order of their worker ids"}};
  group.placement = {"all hosts of a slice on one node pool, by required affinity"};
  return group;
}

inline Workload made_workload(Group group) {
  Workload workload;
  workload.file = "job.yaml";
  workload.kind = "JobSet";
  workload.ns = "ml";
  workload.name = "train";
  workload.verdict = Verdict::fine;
  workload.sentence = fmt::format("{} slices of {}", group.slices.size(), group.topology);
  workload.groups.push_back(std::move(group));
  return workload;
}

inline Explanation made_explanation(const std::string& accelerator, const std::string& topology,
                                    std::uint32_t slices) {
  Explanation out;
  out.workloads.push_back(made_workload(made_group(accelerator, topology, slices)));
  return out;
}

// The same text wherever a manifest or a cluster may put one.
inline Explanation hostile_explanation(const std::string& text) {
  Explanation out = made_explanation("tpu-v6e-slice", "4x4", 2);
  Workload& workload = out.workloads.front();
  workload.file = workload.kind = workload.ns = workload.name = workload.sentence = text;
  workload.verdict = Verdict::refused;
  workload.notes = {text};
  workload.unseen = {{text, text, 2}};
  workload.findings = {{true, text, text, fixes::Choice{text}, 3}, {false, "", text, {}, 0}};
  const auto command = fixes::Command::gcloud({{"gcloud", text, "list", text}});
  workload.outlook =
      outlook::WorkloadOutlook{.verdict = outlook::Verdict::waits,
                               .sentence = text,
                               .places = {{text, text}, {"", ""}},
                               .waits = {{outlook::Cause::quota, text, {command, command}}},
                               .not_known = {text}};
  Group& group = workload.groups.front();
  group.title = group.accelerator = text;
  group.placement = {text};
  group.variables = {{text, text, text, false, true, text}, {"other", text, text, true, false, ""}};
  for (Slice& slice : group.slices) {
    slice.name = text;
    slice.variables = {{text, text, text, false, true, text}};
    for (Member& member : slice.members) {
      member.pod = text;
      member.variables = {{text, text, text, false, true, text}};
    }
  }
  out.workloads.push_back(workload);
  out.workloads.back().groups.front().topology = text;
  out.unseen = {{text, text, 1}};
  out.beside = out.passed_over = out.not_known = {text};
  return out;
}

}  // namespace tpuwh::server::explain
