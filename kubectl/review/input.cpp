#include "kubectl/review/input.hpp"

#include "base/edits.hpp"
#include "kubectl/inspect/source/documents.hpp"
#include "kubectl/inspect/source/objects.hpp"
#include "kubectl/objects/api_version.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpuwh::server::review {

namespace {

Input as_recorded(std::string_view text) {
  return {.review = std::string(text), .unusable = {}, .recorded = true};
}

// JSON that was to be a review, perhaps: the server would say what it is, and here one sees where.
Input broken(std::string_view text, const Error& fault) {
  Input out = as_recorded(text);
  out.fault = fault.text();
  return out;
}

// What says neither that it is an AdmissionReview nor what else is answered as it came.
void add_object(const source::ReadObject& object, const source::Document& document,
                const std::string& ns, std::vector<Input>& out) {
  if (object.deleted) return;
  if (document.yaml && object.kind.empty()) {
    out.push_back({.review = std::string(object.json),
                   .unusable = "no kind; expected an AdmissionReview, a Pod or a List"});
    return;
  }
  if (object.kind.empty() || object.kind == "AdmissionReview") {
    out.push_back(as_recorded(object.json));
    return;
  }
  std::string said;
  const auto value = object.value(&said);
  if (!value) {
    out.push_back(
        {.review = std::string(object.json), .unusable = value.error().text(), .recorded = true});
    return;
  }
  // As it was written, where it says all and says it once.
  const bool as_written = said.empty() && !object.named_by_list;
  const std::string text = as_written ? std::string(object.json) : text::dump_or_throw(*value);
  out.push_back({.review = review_of_creation(*value, text, ns, out.size() + 1),
                 .unusable = {},
                 .notes = document.notes});
  if (!said.empty()) out.back().notes.push_back(said);
}

void add_document(const source::Document& document, const std::string& ns,
                  std::vector<Input>& out) {
  source::ObjectReader reader;
  const std::size_t before = out.size();
  const auto told = reader.read(
      document, [&](const source::ReadObject& object) { add_object(object, document, ns, out); });
  if (told) return;
  out.resize(before);
  out.push_back({.review = std::string(document.json), .unusable = told.error().text()});
}

// A line that is broken is one input; those behind it are answered.
void add_lines(std::string_view text, const std::string& ns, std::vector<Input>& out) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = base::trimmed(text.substr(0, end));
    if (!line.empty()) {
      const source::Documents documents(std::string(line), text::Twice::last_holds, number - 1);
      for (const source::Document& document : documents.all()) add_document(document, ns, out);
      if (documents.fault()) out.push_back(broken(line, *documents.fault()));
    }
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

bool is_json_lines(std::string_view text) {
  const std::string_view whole = base::trimmed(text);
  const auto end = whole.find('\n');
  return end != std::string_view::npos && !text::json_fault(whole.substr(0, end));
}

// Any word is YAML; without a mapping there is no manifest in it.
bool is_no_manifest(const source::Documents& documents) {
  return !documents.all().empty() &&
         std::ranges::all_of(documents.all(), [](const source::Document& each) {
           return each.yaml && !each.json.starts_with('{');
         });
}

}  // namespace

std::string review_of_creation(const Json& object, std::string_view text,
                               const std::string& otherwise, std::size_t number) {
  const std::string api_version = text::text_member(object, "apiVersion");
  const auto [group, version] = objects::split_api_version(api_version);
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
  const source::Documents documents(std::move(text));
  if (is_no_manifest(documents)) return {as_recorded(documents.text())};
  if (documents.fault() && is_json_lines(documents.text())) {
    add_lines(documents.text(), ns, out);
    return out;
  }
  for (const source::Document& document : documents.all()) add_document(document, ns, out);
  if (!documents.fault()) return out;
  const std::string_view text_of = base::trimmed(documents.text());
  if (out.empty() && (text_of.starts_with('{') || text_of.starts_with('[')))
    out.push_back(broken(documents.text(), *documents.fault()));
  else
    out.push_back({.review = std::string(documents.text()), .unusable = documents.fault()->text()});
  return out;
}

}  // namespace tpuwh::server::review
