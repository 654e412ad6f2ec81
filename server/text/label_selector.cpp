#include "server/text/label_selector.hpp"

#include "server/text/json_text.hpp"

#include <algorithm>
#include <string>

namespace tpuwh::server::text {

namespace {

using Json = nlohmann::ordered_json;

bool has_value(const Json& values, const Json& value) {
  return values.is_array() && std::ranges::find(values, value) != values.end();
}

bool matches(const Json& expression, const Json& labels) {
  const std::string op = text_member(expression, "operator");
  const Json* found = find_member(labels, text_member(expression, "key"));
  const bool among = found != nullptr && has_value(member(expression, "values"), *found);
  if (op == "In") return among;
  if (op == "NotIn") return !among;
  return op == "Exists" ? found != nullptr : op == "DoesNotExist" && found == nullptr;
}

// All of `wanted` are among `labels`.
bool has_labels(const Json& labels, const Json& wanted) {
  return std::ranges::all_of(wanted.items(), [&](const auto& each) {
    const Json* found = find_member(labels, each.key());
    return found != nullptr && *found == each.value();
  });
}

}  // namespace

bool finds(const Json& selector, const Json& labels) {
  if (!selector.is_object()) return false;
  const Json& wanted = member(selector, "matchLabels");
  if (wanted.is_object() && !has_labels(labels, wanted)) return false;
  const Json& expressions = member(selector, "matchExpressions");
  return !expressions.is_array() ||
         std::ranges::all_of(expressions, [&](const Json& each) { return matches(each, labels); });
}

bool selects(const Json& service, const Json& labels) {
  const Json& wanted = member(member(service, "spec"), "selector");
  return wanted.is_object() && !wanted.empty() && has_labels(labels, wanted);
}

bool finds_its_own(const Json& pod, const Json& term) {
  return member(term, "namespaces").empty() &&
         finds(member(term, "labelSelector"), member(member(pod, "metadata"), "labels"));
}

}  // namespace tpuwh::server::text
