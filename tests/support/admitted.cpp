#include "tests/support/admitted.hpp"

#include "tests/support/strict_patch.hpp"
#include "webhook/reasons/declared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace tpuwh::test {

namespace {

std::string escaped(std::string_view prefix) {
  std::string out;
  for (const char c : prefix) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

void check_declared(const json& patch, std::string_view prefix) {
  for (const json& operation : patch) {
    const std::string op = operation["op"], path = operation["path"];
    const auto kind = webhook::reasons::op_of(op);
    ASSERT_TRUE(kind) << op;
    EXPECT_NE(webhook::reasons::find_row(*kind, path, escaped(prefix)), nullptr)
        << op << ' ' << path;
  }
}

void check_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings)
    EXPECT_TRUE(std::ranges::none_of(warning, [](char c) { return c < 0x20 || c == 0x7f; }))
        << "kube-apiserver drops it: " << warning;
}

// Status of a request that could not be read.
void read_status(const json& body, Admitted& out) {
  EXPECT_EQ(body.at("kind"), "Status");
  EXPECT_EQ(body.at("apiVersion"), "v1");
  EXPECT_EQ(body.at("status"), "Failure");
  EXPECT_EQ(body.at("code"), out.status);
  out.message = body.at("message");
  EXPECT_FALSE(out.message.empty());
}

void read_review_answer(const json& body, const json& review, const Around& around, Admitted& out) {
  const json& response = body.at("response");
  const json& request = review.at("request");
  EXPECT_EQ(body.at("kind"), "AdmissionReview");
  EXPECT_EQ(body.at("apiVersion"), review.at("apiVersion"));
  EXPECT_EQ(response.at("uid"), request.at("uid"));
  out.allowed = response.at("allowed");
  if (!out.allowed) out.message = response.at("status").at("message");
  if (response.contains("warnings")) out.warnings = response["warnings"];
  check_warnings(out.warnings);
  out.object = request.contains("object") ? request["object"] : json();
  EXPECT_EQ(response.contains("patch"), response.contains("patchType"));
  EXPECT_EQ(response.contains("patch"),
            out.outcome == webhook::outcome::Outcome::patched && !out.shadow);
  EXPECT_EQ(out.allowed, out.outcome != webhook::outcome::Outcome::denied || out.shadow);
  EXPECT_NE(out.outcome, webhook::outcome::Outcome::failed);
  if (!response.contains("patch")) return;
  EXPECT_EQ(response["patchType"], "JSONPatch");
  EXPECT_TRUE(out.allowed);
  out.patch = json::parse(decode_base64(response["patch"].get<std::string>()));
  check_declared(out.patch, around.config.prefix);
  EXPECT_EQ(apply_strictly(out.object, out.patch), "");
}

}  // namespace

std::string Admitted::warning(std::string_view part) const {
  for (const std::string& each : warnings)
    if (each.find(part) != std::string::npos) return each;
  return {};
}

bool well_formed(std::string_view text) {
  return json::accept(text);
}

Admitted admit(std::string review, const Around& around) {
  // One for the whole program, as one per thread in the server: what a review leaves
  // behind must not reach the next.
  static webhook::answer::Workspace workspace;
  const webhook::read::NoCluster nothing;
  webhook::ledger::MemoryLedger empty;
  const webhook::read::Body body(review);
  const webhook::answer::Answer answer = webhook::answer::admit(
      body, around.config, around.cluster == nullptr ? nothing : *around.cluster, workspace,
      around.ledger == nullptr ? empty : *around.ledger);
  Admitted out;
  out.status = answer.http_status;
  out.retry_after = answer.retry_after;
  out.outcome = answer.summary.outcome;
  out.shadow = answer.summary.shadow;
  out.reason = answer.summary.reason;
  out.body = answer.body;
  EXPECT_TRUE(out.body.ends_with("}\n"));
  EXPECT_EQ(std::ranges::count(out.body, '\n'), 1);
  const json parsed = json::parse(out.body, nullptr, false);
  if (parsed.is_discarded()) {
    ADD_FAILURE() << "the answer is no JSON: " << out.body.substr(0, 400);
    return out;
  }
  if (out.status != 200) {
    read_status(parsed, out);
    return out;
  }
  const json request = json::parse(review, nullptr, false);
  if (request.is_discarded()) {
    ADD_FAILURE() << "200 to what nlohmann takes for no JSON: " << review.substr(0, 400);
    return out;
  }
  read_review_answer(parsed, request, around, out);
  return out;
}

std::string decode_base64(std::string_view text) {
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  EXPECT_EQ(text.size() % 4, 0u);
  std::string out;
  for (std::size_t i = 0; i + 3 < text.size(); i += 4) {
    std::uint32_t bits = 0;
    std::size_t padding = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const auto digit = alphabet.find(text[i + j]);
      if (digit == std::string_view::npos) {
        EXPECT_TRUE(text[i + j] == '=' && j >= 2 && i + 4 == text.size()) << text.substr(i, 4);
        ++padding;
      } else {
        EXPECT_EQ(padding, 0u);
      }
      bits = bits << 6 | static_cast<std::uint32_t>(digit == std::string_view::npos ? 0 : digit);
    }
    for (std::size_t j = 0; j < 3 - padding; ++j)
      out += static_cast<char>(bits >> (16 - 8 * j) & 0xff);
  }
  return out;
}

std::string effective(const json& container, std::string_view name) {
  std::string found = "(absent)";
  if (!container.contains("env") || container["env"].is_null()) return found;
  for (const json& entry : container["env"]) {
    if (entry.at("name") != name) continue;
    if (entry.contains("valueFrom"))
      found = "<" + entry["valueFrom"]["fieldRef"].value("fieldPath", "") + ">";
    else
      found = entry.value("value", "");
  }
  return found;
}

std::string effective(const Admitted& answer, std::string_view name, std::size_t container) {
  return effective(answer.object.at("spec").at("containers").at(container), name);
}

std::vector<std::string> env_names(const json& container) {
  std::vector<std::string> names;
  if (!container.contains("env") || container["env"].is_null()) return names;
  for (const json& entry : container["env"]) names.push_back(entry.at("name"));
  return names;
}

namespace {

std::string in_metadata(const Admitted& answer, const char* map, std::string_view key) {
  const json& metadata = answer.object.at("metadata");
  const auto found = metadata.find(map);
  if (found == metadata.end() || !found->contains(std::string(key))) return "(absent)";
  return found->at(std::string(key)).get<std::string>();
}

}  // namespace

std::string annotation(const Admitted& answer, std::string_view key) {
  return in_metadata(answer, "annotations", key);
}

std::string label(const Admitted& answer, std::string_view key) {
  return in_metadata(answer, "labels", key);
}

}  // namespace tpuwh::test
