#include "kubectl/objects/label_selector.hpp"

#include "kubectl/objects/json_path.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>
#include <string>

namespace tpuwh::server::objects {

namespace {

bool has_value(const Json& values, const Json& value) {
  return values.is_array() && std::ranges::find(values, value) != values.end();
}

bool matches(const Json& expression, const Json& labels) {
  const std::string op = text::text_member(expression, "operator");
  const Json* found = text::find_member(labels, text::text_member(expression, "key"));
  const bool among = found != nullptr && has_value(text::member(expression, "values"), *found);
  if (op == "In") return among;
  if (op == "NotIn") return !among;
  return op == "Exists" ? found != nullptr : op == "DoesNotExist" && found == nullptr;
}

// All of `wanted` are among `labels`.
bool has_all(const Json& labels, const Json& wanted) {
  return std::ranges::all_of(wanted.items(), [&](const auto& each) {
    const Json* found = text::find_member(labels, each.key());
    return found != nullptr && *found == each.value();
  });
}

}  // namespace

bool finds(const Json& selector, const Json& labels) {
  if (!selector.is_object()) return false;
  const Json& wanted = text::member(selector, "matchLabels");
  if (wanted.is_object() && !has_all(labels, wanted)) return false;
  const Json& expressions = text::member(selector, "matchExpressions");
  return !expressions.is_array() ||
         std::ranges::all_of(expressions, [&](const Json& each) { return matches(each, labels); });
}

bool selects(const Json& service, const Json& labels) {
  const Json& wanted = text::member(text::member(service, "spec"), "selector");
  return wanted.is_object() && !wanted.empty() && has_all(labels, wanted);
}

bool finds_its_own(const Json& pod, const Json& term) {
  return text::member(term, "namespaces").empty() &&
         finds(text::member(term, "labelSelector"),
               text::member(text::member(pod, "metadata"), "labels"));
}

bool has_labels(const Json& object, std::string_view selector) {
  while (!selector.empty()) {
    const std::string_view term = selector.substr(0, selector.find(','));
    const auto equals = term.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string key(term.substr(0, equals));
    if (label(object, key) != term.substr(equals + 1)) return false;
    selector.remove_prefix(std::min(term.size() + 1, selector.size()));
  }
  return true;
}

}  // namespace tpuwh::server::objects
