#include "tests/golden/properties.hpp"

#include "webhook/reasons/declared.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::test {

void expect_same(const Json& want, const Json& got, const std::string& what) {
  if (same_value(want, got)) return;
  ADD_FAILURE() << what << ": from what is wanted to what is answered\n"
                << nlohmann::json::diff(nlohmann::json(want), nlohmann::json(got)).dump(2);
}

namespace {

constexpr std::string_view escaped_prefix = "tpu-webhook.dev~1";
const std::string injected_key = "tpu-webhook.dev/injected";
const std::string our_annotations = "/metadata/annotations/tpu-webhook.dev~1";

struct Properties {
  const std::string& review_;
  const Outcome& outcome_;

  void spelling_changes_nothing() const;
  void unknown_fields_change_nothing() const;
  void operations_are_declared() const;
  void second_pass_is_empty() const;
  void record_comes_back() const;
  void each_variable_comes_back() const;
  void each_edited_variable_stays() const;

  // What is patched if the object had been this one.
  Json patch_of(const Json& object, const std::string& what) const;
  Json after(const Json& object, const Json& patch, const std::string& what) const;
  void expect_fixed_point(const Json& object, const std::string& what) const;
};

Json Properties::patch_of(const Json& object, const std::string& what) const {
  const Outcome outcome = outcome_of(with_object(review_, object));
  EXPECT_EQ(outcome.broken, "") << what;
  return outcome.patch;
}

Json Properties::after(const Json& object, const Json& patch, const std::string& what) const {
  Patched patched = apply_patch(object, patch);
  EXPECT_EQ(patched.broken, "") << what;
  return patched.object;
}

void Properties::expect_fixed_point(const Json& object, const std::string& what) const {
  expect_same(Json::array(), patch_of(object, what), what + ", applied once more");
}

void Properties::operations_are_declared() const {
  for (const Json& operation : outcome_.patch)
    EXPECT_NE(webhook::reasons::find_row(
                  webhook::reasons::op_of(operation["op"].get<std::string>()).value(),
                  operation["path"].get<std::string>(), escaped_prefix),
              nullptr)
        << operation.dump();
}

// The API server fills in defaults behind every webhook.
void add_defaults(Json& value) {
  if (value.is_object() && value.contains("fieldRef")) value["fieldRef"]["apiVersion"] = "v1";
  if (value.is_structured())
    for (Json& member : value) add_defaults(member);
}

void Properties::second_pass_is_empty() const {
  expect_fixed_point(outcome_.object, "the patch");
  Json defaulted = outcome_.object;
  add_defaults(defaulted);
  expect_fixed_point(defaulted, "the patch and the API server's defaults");
}

// Whoever copies a Pod may lose our record, or empty it.
void Properties::record_comes_back() const {
  Json without = outcome_.object;
  auto& annotations = without["metadata"]["annotations"];
  if (!annotations.contains(injected_key)) return;
  Json emptied = without;
  emptied["metadata"]["annotations"][injected_key] = "";
  annotations.erase(injected_key);
  for (const auto& [object, what] :
       {std::pair{without, "record removed"}, {emptied, "record emptied"}}) {
    const Json patch = patch_of(object, what);
    for (const Json& operation : patch)
      EXPECT_TRUE(operation["path"].get<std::string>().starts_with(our_annotations))
          << what << ": " << operation.dump();
    EXPECT_FALSE(patch.empty()) << what;
    expect_fixed_point(after(object, patch, what), what);
  }
}

// The environment without its order.
std::map<std::string, Json> by_name(const Json& env) {
  std::map<std::string, Json> out;
  for (const Json& entry : env) EXPECT_TRUE(out.emplace(entry["name"], entry).second) << entry;
  return out;
}

void Properties::each_variable_comes_back() const {
  for (const OurVariable& ours : our_variables(outcome_.object)) {
    const std::string what = ours.name + " of " + ours.container_name + " deleted";
    const auto env = ours.container / "env";
    Json object = outcome_.object;
    object[env].erase(ours.index);
    Json healed = after(object, patch_of(object, what), what);
    EXPECT_EQ(by_name(healed[env]), by_name(outcome_.object[env])) << what;
    expect_fixed_point(healed, what);
    healed[env] = outcome_.object[env];
    expect_same(outcome_.object, healed, what);
  }
}

void Properties::each_edited_variable_stays() const {
  for (const OurVariable& ours : our_variables(outcome_.object)) {
    const std::string what = ours.name + " of " + ours.container_name + " edited";
    const auto env = ours.container / "env";
    for (const Json& edited : std::initializer_list<Json>{
             {{"name", ours.name}, {"value", "edited"}},
             {{"name", ours.name}, {"value", ""}},
             {{"name", ours.name}, {"valueFrom", {{"fieldRef", {{"fieldPath", "f"}}}}}}}) {
      Json object = outcome_.object;
      object[env][ours.index] = edited;
      const Json healed = after(object, patch_of(object, what), what);
      EXPECT_EQ(by_name(healed[env])[ours.name], edited) << what;
      expect_fixed_point(healed, what);
    }
  }
}

// A field that a later Kubernetes has and this program does not know.
void add_unknown(Json& value) {
  if (value.is_array())
    for (Json& element : value) add_unknown(element);
  if (!value.is_object()) return;
  for (auto& [key, member] : value.items())
    if (key != "labels" && key != "annotations" && key != "nodeSelector" && key != "limits" &&
        key != "requests" && key != "namespaceSelector")
      add_unknown(member);
  value["unknownField"] = {{"nested", {1, "two", nullptr}}};
}

void Properties::unknown_fields_change_nothing() const {
  Json object = Json::parse(review_)["request"]["object"];
  add_unknown(object);
  expect_same(outcome_.patch, patch_of(object, "unknown fields"), "unknown fields, patch");
}

// JSON gives no order to members and several spellings to a string.
void Properties::spelling_changes_nothing() const {
  const Outcome otherwise = outcome_of(written_otherwise(Json::parse(review_)));
  EXPECT_EQ(otherwise.broken, "");
  expect_same(outcome_.patch, otherwise.patch, "spelled otherwise, patch");
  expect_same(outcome_.response, otherwise.response, "spelled otherwise, response");
}

}  // namespace

void expect_properties(const std::string& review, const Outcome& outcome) {
  const Properties expect{review, outcome};
  expect.spelling_changes_nothing();
  if (!Json::parse(review)["request"]["object"].is_object()) return;
  expect.unknown_fields_change_nothing();
  if (outcome.object.is_null()) return;
  expect.operations_are_declared();
  expect.second_pass_is_empty();
  expect.record_comes_back();
  expect.each_variable_comes_back();
  expect.each_edited_variable_stays();
}

}  // namespace tpuwh::test
