#include "tests/support/answer.hpp"

#include "tests/support/strict_patch.hpp"
#include "webhook/facts/provenance.hpp"
#include "webhook/validate/validate.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace tpuwh::test {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Standard base64 with its padding and no stray bits, as Go's StdEncoding.Strict().
std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : text.substr(0, text.size() - padding)) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<unsigned>(value);
    if (++count < 4) continue;
    out += {static_cast<char>(bits >> 16), static_cast<char>(bits >> 8), static_cast<char>(bits)};
    bits = count = 0;
  }
  const unsigned stray = padding == 2 ? bits & 0xfu : padding == 1 ? bits & 0x3u : 0u;
  if (stray != 0 || (padding == 2 && count != 2) || (padding == 1 && count != 3))
    return std::nullopt;
  if (padding == 2) out += static_cast<char>(bits >> 4);
  if (padding == 1) out += {static_cast<char>(bits >> 10), static_cast<char>(bits >> 2)};
  return out;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// The API server drops a warning with a control character without a word.
std::string check_warnings(const Json& response) {
  const auto warnings = response.find("warnings");
  if (warnings == response.end()) return {};
  if (!warnings->is_array() || warnings->empty()) return "warnings is no list of sentences";
  for (const Json& warning : *warnings) {
    if (!warning.is_string()) return "a warning is no string";
    const auto& text = warning.get_ref<const std::string&>();
    if (text.empty() || std::ranges::any_of(text, is_control))
      return "a warning is empty or has a control character: " + warning.dump();
  }
  return {};
}

std::string check_audit(const Json& response) {
  const auto annotations = response.find("auditAnnotations");
  if (annotations == response.end()) return {};
  if (!annotations->is_object()) return "auditAnnotations is no object";
  for (const auto& [key, value] : annotations->items())
    if (key.empty() || key.size() > 63 || key.find('/') != std::string::npos || !value.is_string())
      return "audit annotation " + key + " is none";
  return {};
}

std::string check_denial(const Json& response) {
  if (response.contains("patch")) return "a denial has a patch";
  const auto status = response.find("status");
  if (status == response.end() || !status->is_object()) return "a denial has no status";
  const auto code = status->find("code"), message = status->find("message");
  // A 5xx inside the status makes controllers retry as if the server were ill.
  if (code == status->end() || !code->is_number_unsigned() || *code < 400 || *code >= 500)
    return "a denial's code is no 4xx";
  if (message == status->end() || !message->is_string() || *message == "")
    return "a denial has no message";
  return {};
}

std::string take_patch(Reply& reply) {
  const bool patch = reply.response.contains("patch");
  if (patch != reply.response.contains("patchType")) return "patch and patchType: one alone";
  if (!patch) return {};
  if (reply.response["patchType"] != "JSONPatch") return "patchType is not JSONPatch";
  if (!reply.response["patch"].is_string()) return "patch is no string";
  const auto text = decode_base64(reply.response["patch"].get_ref<const std::string&>());
  if (!text) return "patch is not base64";
  if (const auto twice = member_twice(*text); !twice.empty()) return "in the patch, " + twice;
  reply.patch = Json::parse(*text, nullptr, false);
  if (!reply.patch.is_array() || reply.patch.empty()) return "patch is no list of operations";
  reply.response.erase("patch");
  reply.response.erase("patchType");
  return {};
}

std::string check_review(const Json& body, const std::string& review, Reply& reply) {
  const Json asked = Json::parse(review, nullptr, false);
  if (member(body, "kind") != "AdmissionReview") return "kind is not AdmissionReview";
  reply.response = member(body, "response");
  if (!reply.response.is_object()) return "there is no response";
  // What is skipped while reading need not be JSON; then there is nothing to compare.
  if (!asked.is_discarded()) {
    if (member(body, "apiVersion") != member(asked, "apiVersion")) return "apiVersion is another";
    if (member(reply.response, "uid") != member(member(asked, "request"), "uid"))
      return "uid is another";
  }
  const Json allowed = member(reply.response, "allowed");
  if (!allowed.is_boolean()) return "allowed is neither true nor false";
  if (allowed == false)
    if (auto broken = check_denial(reply.response); !broken.empty()) return broken;
  if (auto broken = check_warnings(reply.response); !broken.empty()) return broken;
  if (auto broken = check_audit(reply.response); !broken.empty()) return broken;
  return take_patch(reply);
}

std::string check_status(const Json& body, unsigned http_status) {
  const bool is_status = body.value("kind", "") == "Status" &&
                         body.value("apiVersion", "") == "v1" &&
                         body.value("status", "") == "Failure" &&
                         body.value("code", 0u) == http_status && body.value("message", "") != "";
  return is_status ? "" : "no Status that says what was wrong";
}

}  // namespace

Reply ask(const std::string& review, const webhook::config::Config& config,
          const webhook::read::ClusterView& cluster) {
  webhook::ledger::MemoryLedger ledger;
  return ask(review, config, cluster, ledger);
}

Reply ask(const std::string& review, const webhook::config::Config& config,
          const webhook::read::ClusterView& cluster, webhook::ledger::Ledger& ledger) {
  static webhook::answer::Workspace workspace;
  std::string text = review;
  const webhook::read::Body asked(text);
  webhook::answer::Answer answer =
      webhook::answer::admit(asked, config, cluster, workspace, ledger);
  if (answer.summary.reason == webhook::outcome::Reason::not_a_pod)
    answer = webhook::validate::validate(asked, config, cluster, workspace);
  Reply reply;
  reply.http_status = answer.http_status;
  reply.body = answer.body;
  reply.reason = webhook::outcome::name(answer.summary.reason);
  const Json body = Json::parse(reply.body, nullptr, false);
  if (!body.is_object())
    reply.broken = "the answer is not JSON";
  else if (!reply.body.ends_with('\n') || reply.body.find('\n') != reply.body.size() - 1)
    reply.broken = "the answer is not one line";
  else if (const std::string strange = strange_member(reply.body); !strange.empty())
    reply.broken = strange;
  else
    reply.broken = reply.http_status == 200 ? check_review(body, review, reply)
                                            : check_status(body, reply.http_status);
  return reply;
}

std::string member_twice(const std::string& text) {
  std::vector<std::set<std::string>> open;
  std::string twice;
  const auto look = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>() + " stands twice";
    return true;
  };
  const bool read = !Json::parse(text, look, false).is_discarded();
  return read ? twice : "it is no JSON";
}

namespace {

// Members of an object that are not among `ours`.
std::string stranger(const Json& object, const std::set<std::string>& ours) {
  if (object.is_object())
    for (const auto& each : object.items())
      if (!ours.contains(each.key())) return each.key() + " is no member of ours";
  return {};
}

}  // namespace

std::string strange_member(const std::string& body) {
  using Names = std::set<std::string>;
  static const Names review{"kind", "apiVersion", "response"};
  static const Names inner{"uid",   "allowed",  "status",          "patchType",
                           "patch", "warnings", "auditAnnotations"};
  static const Names denial{"metadata", "status", "message", "reason", "code"};
  static const Names audit{"reason", "mode", "slice", "rule"};
  static const Names status{"kind",    "apiVersion", "metadata", "status",
                            "message", "reason",     "code"};
  if (std::string twice = member_twice(body); !twice.empty()) return twice;
  const Json answer = Json::parse(body, nullptr, false);
  if (member(answer, "kind") == "Status") return stranger(answer, status);
  const Json& response = member(answer, "response");
  const std::pair<const Json*, const Names*> objects[] = {
      {&answer, &review},
      {&response, &inner},
      {&member(response, "status"), &denial},
      {&member(response, "auditAnnotations"), &audit}};
  for (const auto& [object, ours] : objects)
    if (std::string strange = stranger(*object, *ours); !strange.empty()) return strange;
  return {};
}

const Json& member(const Json& object, const char* key) {
  static const Json nothing;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? nothing : *found;
}

bool same_value(const Json& a, const Json& b) {
  return nlohmann::json(a) == nlohmann::json(b);
}

namespace {

// An "add" to a map replaces what is there without a word.
bool overwrites(const nlohmann::json& document, const Json& operation) {
  if (operation.value("op", "") != "add") return false;
  const nlohmann::json::json_pointer at(operation.value("path", ""));
  if (at.empty() || at.back() == "-" || !document.contains(at.parent_pointer())) return false;
  const auto& parent = document[at.parent_pointer()];
  if (!parent.is_object() || !parent.contains(at.back())) return false;
  const auto& present = parent[at.back()];
  return !present.is_null() && present != "";
}

}  // namespace

Patched apply_patch(const Json& object, const Json& patch) {
  nlohmann::json whole = object;
  if (!patch.empty() || !patch.is_array())
    if (std::string wrong = apply_strictly(whole, patch); !wrong.empty()) return {nullptr, wrong};
  nlohmann::json so_far = object;
  for (const Json& operation : patch) {
    if (overwrites(so_far, operation))
      return {nullptr, operation.dump() + ": something is there already"};
    apply_strictly(so_far, nlohmann::json::array({operation}));
  }
  Patched out{object.patch(patch), {}};
  if (!same_value(out.object, whole)) out.broken = "two appliers disagree about the patch";
  return out;
}

std::vector<OurVariable> our_variables(const Json& object) {
  std::vector<OurVariable> out;
  const Json& text =
      member(member(member(object, "metadata"), "annotations"), "tpu-webhook.dev/injected");
  webhook::facts::Provenance record;
  if (text.is_string()) record.parse(text.get_ref<const std::string&>());
  for (const char* list : {"containers", "initContainers"}) {
    const Json& containers = member(member(object, "spec"), list);
    for (std::size_t c = 0; c < containers.size(); ++c) {
      const Json &owner = member(containers[c], "name"), &env = member(containers[c], "env");
      for (std::size_t e = 0; e < env.size(); ++e) {
        const Json& name = member(env[e], "name");
        if (!name.is_string() || !owner.is_string()) continue;
        const auto variable = webhook::read::find_variable(name.get_ref<const std::string&>());
        if (variable && record.find(owner.get_ref<const std::string&>(), *variable) != nullptr)
          out.push_back({Json::json_pointer("/spec") / list / c, e, name, owner});
      }
    }
  }
  return out;
}

namespace {

void append_escaped(const std::string& text, std::string& out) {
  const std::string plain = Json(text).dump();
  const unsigned char first = text.empty() ? 0x80 : static_cast<unsigned char>(text.front());
  if (first < 0x20 || first >= 0x80 || first == '"' || first == '\\') {
    out += plain;
    return;
  }
  constexpr std::string_view hex = "0123456789abcdef";
  out += "\"\\u00";
  out += {hex[first >> 4], hex[first & 0xfu]};
  out += plain.substr(2);
}

}  // namespace

std::string written_otherwise(const Json& value) {
  std::string out;
  if (value.is_object()) {
    std::vector<std::string> members;
    for (const auto& [key, member] : value.items()) {
      std::string text;
      append_escaped(key, text);
      members.push_back(text + " : " + written_otherwise(member));
    }
    for (auto at = members.rbegin(); at != members.rend(); ++at)
      out += (out.empty() ? "" : " ,\n") + *at;
    return "{" + out + "}";
  }
  if (value.is_array()) {
    for (const Json& element : value)
      out += (out.empty() ? "" : ",\t") + written_otherwise(element);
    return "[" + out + "]";
  }
  if (value.is_string())
    append_escaped(value.get<std::string>(), out);
  else
    out = value.dump();
  return out;
}

}  // namespace tpuwh::test
