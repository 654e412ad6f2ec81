#include "kubectl/predict/expand/submitter.hpp"

#include "base/edits.hpp"
#include "base/result.hpp"
#include "kubectl/predict/expand/pod_template.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>

namespace tpuwh::server::expand {

namespace {

// As Go's strconv.Quote has it, which a shell reads back.
std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// With the members of objects by name, as Go prints them.
Json sorted(const Json& value) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value) out.push_back(sorted(item));
    return out;
  }
  if (!value.is_object()) return value;
  std::map<std::string, const Json*> members;
  for (const auto& [key, member] : value.items()) members[key] = &member;
  Json out = Json::object();
  for (const auto& [key, member] : members) out[key] = sorted(*member);
  return out;
}

void add_number(std::string& out, const Json& job, const char* key, const char* option) {
  const Json* number = text::find_member(job, key);
  if (number != nullptr && number->is_number() && number->get<float>() > 0)
    out += fmt::format(" {} {:f}", option, static_cast<double>(number->get<float>()));
}

// The options that describe the job, each with a space before it.
Result<std::string> options_of(const Submission& submission) {
  const Json& job = submission.job;
  std::string out;
  if (const std::string yaml = text::text_member(job, "runtimeEnvYAML"); !yaml.empty()) {
    const auto documents = text::parse_yaml(yaml);
    if (!documents) return bad_value(documents.error().message(), "spec.runtimeEnvYAML");
    const Json value = documents->empty() ? Json() : documents->front();
    out += fmt::format(" --runtime-env-json {}", go_quoted(text::dump_json(sorted(value))));
  }
  const Json& metadata = object_or_empty(job, "metadata");
  if (!metadata.empty() && job.contains("rayClusterSpec"))
    out += fmt::format(" --metadata-json {}", go_quoted(text::dump_json(sorted(metadata))));
  if (!submission.id.empty()) out += fmt::format(" --submission-id {}", submission.id);
  add_number(out, job, "entrypointNumCpus", "--entrypoint-num-cpus");
  add_number(out, job, "entrypointNumGpus", "--entrypoint-num-gpus");
  if (const std::string more = text::text_member(job, "entrypointResources"); !more.empty())
    out += fmt::format(" --entrypoint-resources {}", go_quoted(more));
  out += fmt::format(" -- {} ;", base::trimmed(text::text_member(job, "entrypoint")));
  return out;
}

// Asks first whether the job is there: a Pod that submits may come again.
std::string command_of_pod(const Submission& submission, const std::string& options) {
  const std::string address = fmt::format("http://{}", submission.dashboard);
  return fmt::format(
      "if ! ray job status --address {0} {1} >/dev/null 2>&1 ; then ray job submit --address {0} "
      "--no-wait{2} fi ; ray job logs --address {0} --follow {1}",
      address, submission.id, options);
}

std::string command_of_sidecar(const Submission& submission, const std::string& options) {
  const std::string address = fmt::format("http://127.0.0.1:{}", submission.port);
  return fmt::format(
      "until python -c \"import urllib.request; r=urllib.request.urlopen('http://localhost:{}/api/"
      "gcs_healthz', timeout=10); exit(0 if b'success' in r.read() else 1)\" >/dev/null 2>&1 ; do "
      "echo \"Waiting for Ray Dashboard GCS to become healthy at {} ...\" ; "
      "sleep 2 ; done ; ray job submit --address {}{}",
      submission.port, address, address, options);
}

}  // namespace

Json default_submitter(const std::string& image) {
  Json out = Json::object();
  out["name"] = "ray-job-submitter";
  if (!image.empty()) out["image"] = image;
  out["resources"] = {{"limits", {{"cpu", "1"}, {"memory", "1Gi"}}},
                      {"requests", {{"cpu", "500m"}, {"memory", "200Mi"}}}};
  return out;
}

Result<void> set_submission(Json& container, const Submission& submission) {
  const Result<std::string> options = options_of(submission);
  if (!options) return options.error();
  const bool sidecar = submission.dashboard.empty();
  if (sidecar || array_or_empty(container, "command").empty()) {
    container["command"] = Json::array({"/bin/bash", "-ce", "--"});
    container["args"] = Json::array({sidecar ? command_of_sidecar(submission, *options)
                                             : command_of_pod(submission, *options)});
  }
  append_env(container, "PYTHONUNBUFFERED", "1");
  append_env(container, "RAY_DASHBOARD_ADDRESS", submission.dashboard);
  append_env(container, "RAY_JOB_SUBMISSION_ID", submission.id);
  return {};
}

}  // namespace tpuwh::server::expand
