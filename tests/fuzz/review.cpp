#include "base/names.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/answer.hpp"
#include "webhook/reasons/declared.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace tpuwh::fuzz {

namespace {

using test::Json;
using test::Reply;

Reply ask(const std::string& review) {
  Reply reply = test::ask(review);
  require(reply.broken.empty(), reply.broken + "\n" + reply.body);
  require(reply.http_status == 200 || reply.http_status == 400 || reply.http_status == 413,
          "HTTP status " + std::to_string(reply.http_status));
  require(reply.reason != "internal_error", "a fault of ours: " + reply.body);
  return reply;
}

void require_declared(const Json& patch) {
  for (const Json& operation : patch) {
    const std::string op = operation.value("op", ""), path = operation.value("path", "");
    const auto kind = op == "add"       ? webhook::write::PatchOp::add
                      : op == "replace" ? webhook::write::PatchOp::replace
                                        : webhook::write::PatchOp::remove;
    require(webhook::reasons::find_row(kind, path, "tpu-webhook.dev~1") != nullptr,
            "not in the declared surface: " + operation.dump());
  }
}

// Whether an entry has this name and this value; what else it has is not ours.
bool contains(const Json& env, const Json& wanted) {
  return std::ranges::any_of(env, [&](const Json& entry) {
    return test::member(entry, "name") == test::member(wanted, "name") &&
           test::member(entry, "value") == test::member(wanted, "value");
  });
}

// The API server refuses a Pod with a container's name that stands twice or is no DNS
// label, whatever a webhook did to it; our record goes by these names.
bool has_legal_containers(const Json& pod) {
  std::set<std::string> names;
  for (const char* list : {"containers", "initContainers"})
    for (const Json& container : test::member(test::member(pod, "spec"), list)) {
      const Json& name = test::member(container, "name");
      if (!name.is_string() || !base::is_dns_label(name.get_ref<const std::string&>()) ||
          !names.insert(name).second)
        return false;
    }
  return true;
}

Json patched(const Json& object, const Json& patch) {
  if (patch.empty()) return object;
  auto out = test::apply_patch(object, patch);
  require(out.broken.empty(), out.broken);
  return out.object;
}

Reply require_fixed_point(const Json& review, const Json& patch) {
  const Reply again = ask(review.dump());
  require(again.http_status == 200, "after the patch it cannot be read: " + again.body);
  require(again.patch.empty(), "the second pass changes " + again.patch.dump() +
                                   "\nafter the first one's " + patch.dump());
  return again;
}

// Somebody deletes one of our variables: it comes back, and that is all.
void require_healing(Json review, std::size_t chance) {
  Json& object = review["request"]["object"];
  const auto ours = test::our_variables(object);
  if (ours.empty()) return;
  const test::OurVariable& victim = ours[chance % ours.size()];
  const Json entry = object[victim.container / "env"][victim.index];
  object[victim.container / "env"].erase(victim.index);
  const Json patch = ask(review.dump()).patch;
  object = patched(object, patch);
  const std::string what = victim.name + " of " + victim.container_name + " deleted";
  require(contains(object[victim.container / "env"], entry),
          what + " and not restored by " + patch.dump());
  require_fixed_point(review, patch);
}

bool refused(const Reply& reply) {
  return reply.http_status != 200 || reply.response["allowed"] == false;
}

// Which of two faults is told first, is left to the order in which they stand.
void require_same(const Json& review, const Reply& plain) {
  const Reply otherwise = ask(test::written_otherwise(review));
  require(refused(otherwise) == refused(plain), "spelled otherwise: " + otherwise.body);
  require(test::same_value(plain.patch, otherwise.patch),
          "spelled otherwise: " + otherwise.patch.dump() + "\nplain: " + plain.patch.dump());
}

}  // namespace

void review(std::string_view bytes) {
  const Reply reply = ask(std::string(bytes));
  if (reply.http_status != 200) return;
  // What the reader skips need not be JSON; no API server sends such a text.
  const Json review = Json::parse(bytes, nullptr, false);
  if (review.is_discarded()) return;
  require_declared(reply.patch);
  require_same(review, reply);
  const Json& object = test::member(test::member(review, "request"), "object");
  if (!object.is_object() || !has_legal_containers(object)) return;
  Json after = review;
  after["request"]["object"] = patched(object, reply.patch);
  const Reply again = require_fixed_point(after, reply.patch);
  // Of a Pod that came without a record of ours, and of which there is something to say.
  const Json& annotations = test::member(test::member(object, "metadata"), "annotations");
  if (again.reason == "already_done" && !annotations.contains("tpu-webhook.dev/injected"))
    require_healing(std::move(after), std::hash<std::string_view>()(bytes));
}

}  // namespace tpuwh::fuzz
