#include "server/tools/objects/label_selector.hpp"

#include "server/text/json_text.hpp"

#include <algorithm>
#include <string>

namespace tpuwh::server::objects {

namespace {

using Json = nlohmann::ordered_json;

bool has_value(const text::Json& values, const text::Json& value) {
  return values.is_array() && std::ranges::find(values, value) != values.end();
}

bool matches(const text::Json& expression, const text::Json& labels) {
  const std::string op = text::text_member(expression, "operator");
  const text::Json* found = text::find_member(labels, text::text_member(expression, "key"));
  const bool among = found != nullptr && has_value(text::member(expression, "values"), *found);
  if (op == "In") return among;
  if (op == "NotIn") return !among;
  return op == "Exists" ? found != nullptr : op == "DoesNotExist" && found == nullptr;
}

// All of `wanted` are among `labels`.
bool text::has_labels(const text::Json& labels, const text::Json& wanted) {
  return std::ranges::all_of(wanted.items(), [&](const auto& each) {
    const text::Json* found = text::find_member(labels, each.key());
    return found != nullptr && *found == each.value();
  });
}

}  // namespace

bool finds(const text::Json& selector, const text::Json& labels) {
  if (!selector.is_object()) return false;
  const text::Json& wanted = text::member(selector, "matchLabels");
  if (wanted.is_object() && !text::has_labels(labels, wanted)) return false;
  const text::Json& expressions = text::member(selector, "matchExpressions");
  return !expressions.is_array() || std::ranges::all_of(expressions, [&](const text::Json& each) {
    return matches(each, labels);
  });
}

bool selects(const text::Json& service, const text::Json& labels) {
  const text::Json& wanted = text::member(text::member(service, "spec"), "selector");
  return wanted.is_object() && !wanted.empty() && text::has_labels(labels, wanted);
}

bool finds_its_own(const text::Json& pod, const text::Json& term) {
  return text::member(term, "namespaces").empty() &&
         finds(text::member(term, "labelSelector"),
               text::member(text::member(pod, "metadata"), "labels"));
}

}  // namespace tpuwh::server::objects
