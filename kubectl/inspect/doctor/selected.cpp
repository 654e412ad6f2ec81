#include "kubectl/inspect/doctor/selected.hpp"

#include "kubectl/objects/label_selector.hpp"
#include "server/text/json_text.hpp"

namespace tpuwh::server::doctor {

namespace {

// Whether a selector that is left out, or empty, is for all.
bool is_met(const Json& selector, const Json& labels) {
  return !selector.is_object() || objects::finds(selector, labels);
}

const Json* labels_of(const View& view, const std::string& ns) {
  for (const Json& each : view.namespaces.items)
    if (name_of_object(each) == ns) return &text::member(text::member(each, "metadata"), "labels");
  return nullptr;
}

}  // namespace

const Json& namespaces_of(const Json& entry) {
  return text::member(entry, "namespaceSelector");
}

std::optional<bool> is_sent(const View& view, const Json& entry, const std::string& ns) {
  const Json& selector = namespaces_of(entry);
  Json labels = Json::object();
  const Json* known = labels_of(view, ns);
  if (known != nullptr && known->is_object()) labels = *known;
  labels[name_label] = ns;  // the API server keeps it so
  if (known != nullptr) return is_met(selector, labels);
  // Of the others nothing is known: what the name alone does not meet is not met.
  Json by_name = {{"matchExpressions", Json::array()}};
  bool all = !text::member(selector, "matchLabels").is_object() ||
             text::member(selector, "matchLabels").empty();
  for (const Json& each : text::member(selector, "matchExpressions")) {
    if (text::text_member(each, "key") == name_label)
      by_name["matchExpressions"].push_back(each);
    else if (!text::text_member(each, "operator").starts_with("NotIn"))
      all = false;
  }
  if (!objects::finds(by_name, labels)) return false;
  return all ? std::optional(true) : std::nullopt;
}

}  // namespace tpuwh::server::doctor
