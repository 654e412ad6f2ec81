#include "webhook/facts/provenance.hpp"

#include "tests/fuzz/targets.hpp"
#include "tests/support/answer.hpp"

namespace tpuwh::fuzz {

namespace {

using test::Json;
using webhook::facts::Provenance;

// What is read, written the way the program writes it.
std::string normal_form(std::string_view text) {
  Provenance read, written;
  read.parse(text);
  written.set_inputs(base::digest("inputs"));
  for (const Provenance::Entry& entry : read.entries())
    written.record(entry.container, entry.variable, entry.digest);
  base::Buffer out;
  written.append_to(out);
  return std::string(out.view());
}

// A member of a slice whose user set variables of his own.
constexpr std::string_view a_review = R"json({
  "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
  "request": {"uid": "u", "operation": "CREATE", "namespace": "default",
    "kind": {"group": "", "version": "v1", "kind": "Pod"},
    "object": {
      "metadata": {"generateName": "train-1-", "annotations": {},
        "labels": {"batch.kubernetes.io/job-completion-index": "1", "job-name": "train"},
        "ownerReferences": [{"kind": "Job", "name": "train", "uid": "1", "controller": true}]},
      "spec": {"hostname": "train-1", "subdomain": "svc",
        "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu7x",
                         "cloud.google.com/gke-tpu-topology": "2x2x2"},
        "containers": [
          {"name": "a", "resources": {"limits": {"google.com/tpu": "2"}},
           "env": [{"name": "MINE", "value": "$(TPU_WORKER_ID)"}]},
          {"name": "b", "resources": {"limits": {"google.com/tpu": "2"}},
           "env": [{"name": "TPU_PROCESS_PORT", "value": "9000"}]}]}}}})json";

Json env_of(const Json& object, std::size_t container, std::string_view name) {
  for (const Json& entry : object["spec"]["containers"][container]["env"])
    if (entry["name"] == name) return entry;
  return nullptr;
}

Json answered(const Json& review) {
  const test::Reply reply = test::ask(review.dump());
  require(reply.http_status == 200 && reply.broken.empty(), reply.broken + "\n" + reply.body);
  const Json& object = review["request"]["object"];
  if (reply.patch.empty()) return object;
  auto patched = test::apply_patch(object, reply.patch);
  require(patched.broken.empty(), patched.broken);
  return patched.object;
}

}  // namespace

void provenance(std::string_view bytes) {
  const std::string once = normal_form(bytes);
  require(normal_form(once) == once, "two normal forms: " + once + " and " + normal_form(once));

  Json review = Json::parse(a_review);
  Json& object = review["request"]["object"];
  const Json before = object;
  std::string text(bytes);
  if (Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore) != '"' + text + '"') return;
  object["metadata"]["annotations"]["tpu-webhook.dev/injected"] = text;
  object = answered(review);
  const Json first = object;
  object = answered(review);
  require(object == first, "the second pass changes " + Json::diff(first, object).dump());
  for (const auto& [container, name] : {std::pair{0u, "MINE"}, {1u, "TPU_PROCESS_PORT"}})
    require(env_of(first, container, name) == env_of(before, container, name),
            std::string(name) + " was touched: " + first.dump());
}

}  // namespace tpuwh::fuzz
