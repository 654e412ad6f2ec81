#include "server/kube/cluster/ledger_object.hpp"
#include "base/result.hpp"

#include "server/limits/limits.hpp"
#include "webhook/ledger/token.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tpuwh::server::kube::cluster {
namespace {

using Json = nlohmann::json;

const store::GroupName group{"team-a", "cluster", "uid-1", "workers"};
const webhook::ledger::LedgerRecord record{
    .hosts_per_slice = 4,
    .rebuilding = true,
    .entries = {{{0, 1}, "0-1-00000000000000aa"}, {{1, 3}, "1-3-00000000000000bb"}}};

TEST(LedgerObject, reads_what_it_wrote) {
  const auto found = parse_ledger_object(ledger_object_text(group, record, "17"));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->group, group);
  EXPECT_EQ(found->version, "17");
  EXPECT_EQ(found->record, record);
}

// The largest that we write, with what other tools add to its metadata.
TEST(LedgerObject, reads_the_largest) {
  webhook::ledger::LedgerRecord largest{.hosts_per_slice = 64, .rebuilding = false, .entries = {}};
  for (std::uint32_t i = 0; i < webhook::ledger::LedgerRecord::max_entries; ++i) {
    const topology::Place place{i / 64, i % 64};
    largest.entries.push_back({place, webhook::ledger::make_token(place, std::to_string(i))});
  }
  Json object = Json::parse(ledger_object_text(group, largest, "17"));
  for (int i = 0; i < 200; ++i)
    object["metadata"]["managedFields"].push_back(
        {{"manager", "m"}, {"fieldsV1", {{"f:data", {{"f:entries", Json::object()}}}}}});
  const std::string text = object.dump();
  EXPECT_GT(text.size(), 400'000u);
  EXPECT_LT(text.size(), limits::api::answer_bytes / 2);
  const auto found = parse_ledger_object(text);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->record.entries.size(), largest.entries.size());
}

TEST(LedgerObject, says_what_is_too_much) {
  EXPECT_EQ(parse_ledger_object(std::string(1u << 20, '[')).error().message(),
            "a ledger object is nested deeper than 32 levels");
}

// What the release before and after read: docs/contract.md.
TEST(LedgerObject, has_format_1) {
  const Json object = Json::parse(ledger_object_text(group, record, ""));
  EXPECT_EQ(object["kind"], "ConfigMap");
  EXPECT_FALSE(object["metadata"].contains("resourceVersion"));
  EXPECT_EQ(object["metadata"]["labels"]["app.kubernetes.io/component"], "ledger");
  EXPECT_EQ(object["data"], (Json{{"format", "1"},
                                  {"namespace", "team-a"},
                                  {"ray-cluster", "cluster"},
                                  {"ray-cluster-uid", "uid-1"},
                                  {"group", "workers"},
                                  {"hosts-per-slice", "4"},
                                  {"state", "rebuilding"},
                                  {"entries", "0-1-00000000000000aa\n1-3-00000000000000bb\n"}}));
}

std::string fault_of(const std::string& pointer, const Json& value) {
  Json object = Json::parse(ledger_object_text(group, record, "17"));
  object[Json::json_pointer(pointer)] = value;
  const auto found = parse_ledger_object(object.dump());
  return found ? "" : found.error().message();
}

TEST(LedgerObject, says_what_it_cannot_read) {
  EXPECT_NE(fault_of("/data/format", "2").find("format is \"2\", expected \"1\"; another release"),
            std::string::npos);
  EXPECT_NE(fault_of("/data/hosts-per-slice", "four").find("\"four\", expected a whole number"),
            std::string::npos);
  for (const char* hosts : {"0", "131073", "4294967295", "4294967296", "-1", "1e3", ""})
    EXPECT_NE(fault_of("/data/hosts-per-slice", hosts).find("expected a whole number from 1 to"),
              std::string::npos)
        << hosts;
  EXPECT_NE(fault_of("/data/entries", "0-1\n").find("entries: line 1 is \"0-1\""),
            std::string::npos);
  EXPECT_NE(fault_of("/data/group", "others").find("its names belong to tpu-ledger-"),
            std::string::npos);
  EXPECT_EQ(parse_ledger_object("[").error().code(), base::Errc::bad_json);
}

// Written by hand, or by a release that took them from a Pod's label: without them the ledger goes
// on, and its next write is whole.
TEST(LedgerObject, drops_entries_beyond_its_slices) {
  Json object = Json::parse(ledger_object_text(group, record, "17"));
  object["data"]["entries"] =
      "0-1-00000000000000aa\n0-4-00000000000000cc\n0-4294967295-00000000000000dd\n"
      "1-3-00000000000000bb\n4294967295-0-00000000000000ee\n";
  const auto found = parse_ledger_object(object.dump());
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->record, record);
  EXPECT_EQ(found->dropped, 3u);
}

TEST(LedgerObject, has_a_name_of_its_own_for_each_group) {
  const store::GroupName again{"team-a", "cluster", "uid-2", "workers"};
  EXPECT_NE(ledger_object_name(group), ledger_object_name(again));
  EXPECT_EQ(ledger_object_name(group).size(), 43u);
}

}  // namespace
}  // namespace tpuwh::server::kube::cluster
