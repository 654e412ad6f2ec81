// Manifests with chips, put together, and what is explained of them.
#pragma once

#include "kubectl/predict/explain/explain.hpp"
#include "kubectl/text/yaml.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::explain {

// Puts together a manifest, of which each test says what it is about.
struct Written {
  std::string kind = "Job", name = "train";
  std::string metadata = {};  // more of it
  std::string spec = "completions: 2, parallelism: 2, completionMode: Indexed";
  std::string template_metadata = {};
  std::string pod = "subdomain: svc";
  std::string selector = "cloud.google.com/gke-tpu-topology: 2x4";
  std::string accelerator = "tpu-v6e-slice";
  std::string env = {};

  std::string pod_template() const {
    return fmt::format(
        "{{metadata: {{{}}}, spec: {{{}{}, nodeSelector: {{cloud.google.com/gke-tpu-accelerator: "
        "{}{}{}}}, containers: [{{name: jax, image: x, env: [{}], resources: {{limits: "
        "{{google.com/tpu: 4}}}}}}]}}}}",
        template_metadata, restart_policy(), pod, accelerator, selector.empty() ? "" : ", ",
        selector, env);
  }
  // Of a Job it is missed.
  std::string restart_policy() const {
    const bool said = pod.find("restartPolicy") != std::string::npos;
    return kind == "Job" && !said ? "restartPolicy: Never, " : "";
  }
  std::string text() const {
    const std::string version = kind == "Job" ? "batch/v1" : "apps/v1";
    return fmt::format(
        "apiVersion: {}\nkind: {}\nmetadata: {{name: {}{}}}\nspec: {{{}, template: {}}}\n", version,
        kind, name, metadata, spec, pod_template());
  }
};

inline constexpr auto headless =
    "---\napiVersion: v1\nkind: Service\nmetadata: {name: svc}\n"
    "spec: {clusterIP: None, selector: {job-name: train}}\n";

inline std::string jobset(int replicas) {
  return fmt::format(
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: train}}\n"
      "spec: {{replicatedJobs: [{{name: slice, replicas: {}, template: {{spec: {{completions: 2, "
      "parallelism: 2, template: {}}}}}}}]}}\n",
      replicas, Written{.pod = "restartPolicy: Never"}.pod_template());
}

inline std::vector<source::Manifest> manifests(const std::string& yaml) {
  std::vector<source::Manifest> out;
  for (auto& object : text::parse_yaml(yaml).value())
    out.push_back({"train.yaml", std::move(object)});
  return out;
}

inline Explanation explained(const std::string& yaml, source::ObjectSource* cluster = nullptr) {
  const webhook::config::Config config;
  const auto objects = manifests(yaml);
  return explain({.manifests = objects, .config = config, .cluster = cluster}).value();
}

// Of the only object.
inline Workload one(const std::string& yaml) {
  auto explanation = explained(yaml);
  EXPECT_EQ(explanation.workloads.size(), 1u);
  return std::move(explanation.workloads.front());
}

// Explains a Job with its Service. `beside` is YAML of further objects of the input. Returns the
// explanation of the Job.
inline Workload one_with_service(const Written& written = {}, const std::string& beside = {}) {
  return one(written.text() + headless + beside);
}

}  // namespace tpuwh::server::explain
