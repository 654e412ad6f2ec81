// What a user writes reaches an answer as text and as nothing else. Every string and every key of a
// map in every recorded review and golden case becomes hostile, one after the other, with and
// without our annotations, at /mutate (and once more with a place of the ledger's) or /validate.
// Two parsers, which refuse a member that stands twice, then read the answer and the patch in it:
// members come from the set of the API, operations and paths are declared ones, and what is logged
// stays one line.
//
//   TPUWH_HOSTILE_SHARE=N   each N-th of them (under the sanitizers)
//   TPUWH_HOSTILE_BYTES=1   each with every byte (hours)

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubectl/text/base64.hpp"
#include "server/log/log.hpp"
#include "tests/golden/golden_case.hpp"
#include "tests/golden/recording.hpp"
#include "tests/support/answer.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/reasons/declared.hpp"
#include "webhook/validate/validate.hpp"
#include "webhook/write/patch.hpp"

namespace tpuwh::test {
namespace {

using nlohmann::json;
using webhook::answer::Answer;
using webhook::answer::Workspace;

// ---- reading strictly

// nlohmann's, by events: no key twice in an object.
class StrictReader final : public json::json_sax_t {
 public:
  explicit StrictReader(const std::set<std::string, std::less<>>& allowed) : allowed_(allowed) {}
  std::string why;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) return fail("member " + name + " stands twice");
    if (!allowed_.contains(name)) return fail("member " + name + " is none of ours");
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    return fail(error.what());
  }

 private:
  bool fail(std::string reason) {
    why = std::move(reason);
    return false;
  }
  const std::set<std::string, std::less<>>& allowed_;
  std::vector<std::set<std::string>> keys_;
};

// simdjson's, as a tree.
std::string twice_in(const simdjson::dom::element& value) {
  simdjson::dom::array list;
  simdjson::dom::object object;
  if (value.get(list) == simdjson::SUCCESS) {
    for (const auto element : list)
      if (auto why = twice_in(element); !why.empty()) return why;
  } else if (value.get(object) == simdjson::SUCCESS) {
    std::set<std::string_view> keys;
    for (const auto field : object) {
      if (!keys.insert(field.key).second) return std::string(field.key) + " stands twice";
      if (auto why = twice_in(field.value); !why.empty()) return why;
    }
  }
  return {};
}

std::string read_by_two(std::string_view text, const std::set<std::string, std::less<>>& allowed) {
  StrictReader reader(allowed);
  if (!json::sax_parse(text, &reader)) return "nlohmann: " + reader.why;
  static simdjson::dom::parser parser;
  const simdjson::padded_string padded(text);
  simdjson::dom::element root;
  if (const auto error = parser.parse(padded).get(root))
    return std::string("simdjson: ") + simdjson::error_message(error);
  return twice_in(root);
}

// ---- what may stand in them

const std::set<std::string, std::less<>> answer_members{
    "kind",     "apiVersion",      "response", "uid",     "allowed", "patchType", "patch",
    "warnings", "status",          "metadata", "message", "reason",  "code",      "slice",
    "mode",     "auditAnnotations"};

const std::set<std::string, std::less<>> patch_members{
    "op",
    "path",
    "value",
    "name",
    "valueFrom",
    "fieldRef",
    "fieldPath",
    "labelSelector",
    "matchExpressions",
    "key",
    "operator",
    "values",
    "topologyKey",
    "namespaceSelector",
    "weight",
    "podAffinityTerm",
    "preference",
    "nodeSelectorTerms",
    "nodeAffinity",
    "podAffinity",
    "podAntiAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution"};

// The value that belongs to a path, by its kind alone.
bool fits(std::string_view op, std::string_view path, const json& operation) {
  if (op == "remove") return !operation.contains("value");
  const json& value = operation.at("value");
  if (path.ends_with("/env")) return value.is_array();
  if (path.find("/env/") != std::string_view::npos)
    return path.ends_with("/value") ? value.is_string() : value.is_object();
  if (path.starts_with("/spec/affinity")) return value.is_array() || value.is_object();
  if (path == "/metadata/labels" || path == "/metadata/annotations") return value.is_object();
  return value.is_string();
}

std::string wrong_patch(const std::string& encoded) {
  static const std::string prefix = [] {
    webhook::write::Patch patch;
    patch.clear(webhook::config::Config().prefix);
    return std::string(patch.escaped_prefix());
  }();
  const auto text = server::text::decode_base64(encoded);
  if (!text) return "the patch is no base64";
  if (auto why = read_by_two(*text, patch_members); !why.empty()) return "patch: " + why;
  const json patch = json::parse(*text);
  if (!patch.is_array() || patch.empty()) return "patch: no list of operations";
  for (const json& operation : patch) {
    const std::string op = operation.at("op"), path = operation.at("path");
    if (operation.size() != (op == "remove" ? 2 : 3)) return "patch: members of " + op;
    const auto kind = webhook::reasons::op_of(op);
    if (!kind || webhook::reasons::find_row(*kind, path, prefix) == nullptr)
      return "patch: " + op + " " + path;
    if (!fits(op, path, operation)) return "patch: value of " + path;
  }
  return {};
}

std::string wrong_review_answer(const json& body, std::string_view uid) {
  const json& response = body.at("response");
  if (body.size() != 3) return "members of the review";
  if (response.at("uid") != uid) return "another uid";
  if (!response.at("allowed").is_boolean()) return "allowed";
  if (response.contains("patch") != response.contains("patchType")) return "patch without a type";
  if (response.contains("warnings"))
    for (const std::string warning : response["warnings"])
      for (const char c : warning)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "a warning of two lines";
  if (!response.contains("patch")) return {};
  if (response["patchType"] != "JSONPatch" || response["allowed"] != true) return "patchType";
  return wrong_patch(response["patch"]);
}

std::string wrong_log_line(const Answer& answer) {
  for (const auto format : {server::log::LogFormat::text, server::log::LogFormat::json}) {
    const std::array<server::log::LogField, 4> fields{{{"uid", answer.summary.uid},
                                                       {"namespace", answer.summary.ns},
                                                       {"owner", answer.summary.owner},
                                                       {"slice", answer.summary.description}}};
    const std::string line = server::log::format_fields(format, "review", fields);
    for (const char c : line)
      if (c < 0x20 || c > 0x7e) return "a log line with a character that is not printable";
    if (format == server::log::LogFormat::json && !json::accept("{\"time\":\"\"" + line))
      return "a log line that is no JSON";
  }
  return {};
}

// "" where the answer breaks nothing.
std::string wrong(const Answer& answer) {
  if (auto why = wrong_log_line(answer); !why.empty()) return why;
  if (auto why = read_by_two(answer.body, answer_members); !why.empty()) return why;
  const json body = json::parse(answer.body);
  if (answer.http_status == 200) return wrong_review_answer(body, answer.summary.uid);
  return body.at("kind") == "Status" && body.at("code") == answer.http_status ? "" : "no Status";
}

// ---- what is sent

// Each once, in an order that no file system decides.
std::set<std::string> all_reviews() {
  const std::filesystem::path root = TPUWH_GOLDEN;
  std::set<std::string> reviews;
  for (const GoldenCase& golden : find_cases(root))
    reviews.insert(json::parse(review_of(golden.folder)).dump());
  for (const auto& recording : find_recordings(root / "recorded")) {
    // Pods of one group differ by an index: two of each kind of object are enough.
    std::map<std::string, int> seen;
    for (const std::string& line : lines_of(recording / "reviews.jsonl")) {
      const json review = json::parse(line);
      if (++seen[review["request"]["kind"].dump()] <= 2) reviews.insert(review.dump());
    }
  }
  return reviews;
}

// Ours, as somebody sets them whose owner we do not know.
std::optional<std::string> with_our_annotations(const std::string& review) {
  json changed = json::parse(review);
  json& request = changed["request"];
  if (request["kind"]["kind"] != "Pod" || !request["object"].is_object()) return std::nullopt;
  json& metadata = request["object"]["metadata"];
  if (!metadata["annotations"].is_object()) metadata["annotations"] = json::object();
  for (const auto& [key, value] : {std::pair{"worker-id", "1"},
                                   {"worker-count", "4"},
                                   {"hostnames", "a.b,c.b,d.b,e.b"},
                                   {"slice-id", "0"},
                                   {"slice-count", "2"},
                                   {"coordinator", "a.b"},
                                   {"exclusive-topology", "cloud.google.com/gke-nodepool"}})
    metadata["annotations"]["tpu-webhook.dev/" + std::string(key)] = value;
  if (!metadata.contains("ownerReferences"))
    metadata["ownerReferences"] = {{{"apiVersion", "v1"},
                                    {"kind", "Owner"},
                                    {"name", "o"},
                                    {"uid", "u"},
                                    {"controller", true}}};
  return changed.dump();
}

// [begin, end) of what stands between the quotes of each string.
std::vector<std::pair<std::size_t, std::size_t>> strings_of(std::string_view text) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at)) {
    const std::size_t begin = ++at;
    while (text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    found.emplace_back(begin, at++);
  }
  return found;
}

std::string escaped(std::string_view text) {
  const std::string quoted = json(std::string(text)).dump();
  return quoted.substr(1, quoted.size() - 2);
}

// Code points below 256, as JSON text.
std::string byte_text(unsigned byte) {
  if (byte < 0x80) return escaped(std::string(1, static_cast<char>(byte)));
  return {static_cast<char>(0xc0 | byte >> 6), static_cast<char>(0x80 | (byte & 0x3f))};
}

// Of which each would be structure, were it written as it is.
const std::vector<std::string>& payloads() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> texts;
    for (const char* text :
         {R"(","k":")", R"(x"},"patchType":"JSONPatch","patch":"W10=","z":{"a":")",
          R"(x","op":"replace","path":"/spec/containers/0/image","value":"evil","z":")",
          R"("}]},{"op":"add","path":"/spec/hostNetwork","value":true},{"x":["a)", "\\", "\"",
          "a\nlevel=error msg=forged", "$(touch x)`touch y`;#"})
      texts.push_back(escaped(text));
    return texts;
  }();
  return all;
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Sent {
  std::size_t reviews = 0, patches = 0, places = 0;
};

class Asker {
 public:
  Sent sent;

  // Asks, and once more with a place where the ledger would be asked.
  void ask(const std::string& review, bool pod) {
    static const webhook::read::NoCluster cluster;
    const webhook::read::Body body(review_ = review);
    ++sent.reviews;
    if (!pod) return judge(webhook::validate::validate(body, config_, cluster, workspace_));
    const Answer first = webhook::answer::admit(body, config_, cluster, workspace_);
    if (first.ledger.use != webhook::answer::LedgerStep::Use::ask) return judge(first);
    ++sent.places;
    const webhook::ledger::PlaceAnswer place{.kind = webhook::ledger::PlaceAnswer::Kind::given,
                                             .place = {0, 1},
                                             .token = "0-1-0123456789abcdef"};
    judge(webhook::answer::admit(body, config_, cluster, workspace_, &place));
  }

 private:
  void judge(const Answer& answer) {
    const std::string why = wrong(answer);
    if (answer.summary.patch_bytes > 0) ++sent.patches;
    if (!why.empty() && ++faults_ <= 10)
      ADD_FAILURE() << why << "\n  answer " << answer.body << "\n  review " << review_;
  }

  const webhook::config::Config config_;
  Workspace workspace_;
  std::string review_;
  int faults_ = 0;
};

TEST(Hostile, text_stays_text_wherever_it_stands) {
  const auto share = std::max<std::size_t>(
      1, std::strtoul(environment("TPUWH_HOSTILE_SHARE").data(), nullptr, 10));
  const bool every_byte = !environment("TPUWH_HOSTILE_BYTES").empty();
  Asker asker;
  std::size_t turn = 0;
  const auto send = [&](const std::string& review, bool pod, std::size_t begin, std::size_t end,
                        std::string_view instead) {
    if (++turn % share != 0) return;
    std::string changed;
    changed.reserve(review.size() + instead.size() + 64);
    changed.append(review, 0, begin).append(instead).append(review, end);
    asker.ask(changed, pod);
  };
  unsigned byte = 0;
  for (const std::string& recorded : all_reviews()) {
    const bool pod = json::parse(recorded)["request"]["kind"]["kind"] == "Pod";
    for (const auto& review : {std::optional(recorded), with_our_annotations(recorded)}) {
      if (!review) continue;
      for (const auto& [begin, end] : strings_of(*review)) {
        // All texts of one place in turn, so that each meets each kind of place.
        const auto& all = payloads();
        for (std::size_t i = 0; i < (every_byte ? all.size() : 2); ++i)
          send(*review, pod, begin, end, all[(turn + i) % all.size()]);
        for (unsigned i = 0; i < (every_byte ? 256 : 1); ++i, byte = (byte + 1) % 256) {
          send(*review, pod, begin, end, byte_text(byte));  // alone
          send(*review, pod, end, end, byte_text(byte));    // behind what is there
        }
        send(*review, pod, begin, begin, escaped("\",\"k\":\""));  // in front of it
      }
    }
  }
  std::cout << asker.sent.reviews << " hostile reviews, " << asker.sent.patches
            << " answered with a patch, " << asker.sent.places << " asked the ledger\n";
  EXPECT_GT(asker.sent.patches, asker.sent.reviews / 5);
}

}  // namespace
}  // namespace tpuwh::test
