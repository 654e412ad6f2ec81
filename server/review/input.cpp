#include "server/review/input.hpp"

#include "server/source/manifests.hpp"
#include "server/text/json_text.hpp"
#include "server/text/read_json.hpp"
#include "server/text/yaml.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tpuwh::server::review {

namespace {

using Json = nlohmann::ordered_json;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const auto from = text.find_first_not_of(space);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(space) - from + 1);
}

struct GroupVersion {
  std::string group, version;
};

GroupVersion split_api_version(const std::string& api_version) {
  const auto slash = api_version.find('/');
  if (slash == std::string::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

Input as_recorded(std::string_view text) {
  return {.review = std::string(text), .unusable = {}, .recorded = true};
}

void add_object(const Json& object, std::string_view text, const std::string& ns,
                std::vector<Input>& out) {
  const std::string kind = object.is_object() ? text::text_member(object, "kind") : std::string();
  if (kind.empty()) {
    out.push_back({.review = std::string(text),
                   .unusable = "no kind; expected an AdmissionReview, a Pod or a List"});
  } else if (kind == "AdmissionReview") {
    out.push_back(as_recorded(text));
  } else {
    out.push_back({.review = review_of_creation(object, text, ns, out.size() + 1), .unusable = {}});
  }
}

// Of a List each item; anything else with its text as it was written.
void add_objects(const Json& object, std::string_view text, const std::string& ns,
                 std::vector<Input>& out) {
  source::for_each_item(object, [&](const Json& item) {
    if (&item == &object)
      add_object(object, text, ns, out);
    else
      add_object(item, text::dump_or_throw(item), ns, out);
  });
}

void add_notes(const std::vector<std::string>& notes, std::size_t from, std::vector<Input>& out) {
  for (std::size_t i = from; i < out.size(); ++i) out[i].notes = notes;
}

// A review keeps its bytes; anything else is taken apart. `line` is where it begins.
void add_json(std::string_view text, std::size_t line, const std::string& ns,
              std::vector<Input>& out) {
  if (text::json_fault(text)) {
    out.push_back(as_recorded(text));
    return;
  }
  std::string said;
  const auto value = text::read_json(text, line, text::Twice::last_holds, &said);
  if (!value) {
    out.push_back(
        {.review = std::string(text), .unusable = value.error().text(), .recorded = true});
    return;
  }
  const std::string kind = text::text_member(*value, "kind");
  if (kind.empty() || kind == "AdmissionReview") {
    out.push_back(as_recorded(text));
    return;
  }
  const std::size_t before = out.size();
  add_objects(*value, said.empty() ? text : std::string_view(text::dump_or_throw(*value)), ns, out);
  if (!said.empty()) add_notes({said}, before, out);
}

void add_lines(std::string_view text, const std::string& ns, std::vector<Input>& out) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty()) add_json(line, number, ns, out);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

bool is_json_lines(std::string_view text) {
  const std::string_view whole = trimmed(text);
  const auto end = whole.find('\n');
  return end != std::string_view::npos && !text::json_fault(whole.substr(0, end));
}

}  // namespace

std::string review_of_creation(const Json& object, std::string_view text,
                               const std::string& otherwise, std::size_t number) {
  const auto [group, version] = split_api_version(text::text_member(object, "apiVersion"));
  const Json& metadata = text::member(object, "metadata");
  const std::string ns = text::text_member(metadata, "namespace");
  const std::string name = text::text_member(metadata, "name");
  Json request;
  request["uid"] = fmt::format("00000000-0000-0000-0000-{:012}", number);
  request["kind"] = {
      {"group", group}, {"version", version}, {"kind", text::text_member(object, "kind")}};
  if (!name.empty()) request["name"] = name;
  request["namespace"] = ns.empty() ? otherwise : ns;
  request["operation"] = "CREATE";
  request["dryRun"] = false;
  std::string head = text::dump_json(request);
  head.pop_back();  // the brace, to put the object in
  return fmt::format(
      R"({{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{},"object":{}}}}})",
      head, text);
}

std::vector<Input> read_inputs(std::string text, const std::string& ns) {
  std::vector<Input> out;
  const std::string_view whole = trimmed(text);
  if (whole.empty()) return out;
  if (whole.front() == '{' || whole.front() == '[') {
    if (is_json_lines(text))
      add_lines(text, ns, out);
    else
      add_json(text, 1, ns, out);
    return out;
  }
  auto documents = text::parse_yaml_as_kubectl(text);
  if (!documents) return {{.review = std::move(text), .unusable = documents.error().text()}};
  // Any word is YAML; without a mapping there is no manifest in it.
  const auto is_mapping = [](const text::YamlDocument& each) { return each.value.is_object(); };
  if (!documents->empty() && std::ranges::none_of(*documents, is_mapping))
    return {as_recorded(text)};
  for (const auto& [value, notes] : *documents) {
    const std::size_t before = out.size();
    add_objects(value, text::dump_or_throw(value), ns, out);
    add_notes(notes, before, out);
  }
  return out;
}

}  // namespace tpuwh::server::review
