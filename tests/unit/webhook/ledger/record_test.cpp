#include "webhook/ledger/record.hpp"

#include <gtest/gtest.h>

namespace tpuwh::webhook::ledger {
namespace {

const LedgerRecord two{
    .hosts_per_slice = 4,
    .rebuilding = false,
    .entries = {{{1, 0}, "1-0-00000000000000aa"}, {{0, 3}, "0-3-00000000000000bb"}}};

TEST(LedgerRecord, is_one_token_a_line_in_order) {
  EXPECT_EQ(entries_text(two), "0-3-00000000000000bb\n1-0-00000000000000aa\n");
  EXPECT_EQ(entries_text({}), "");
}

// A place that two tokens name, as a person may write it: in one order, whoever wrote it.
TEST(LedgerRecord, is_ordered_by_the_tokens_of_a_place) {
  const LedgerEntry one{{0, 3}, "0-3-00000000000000aa"}, other{{0, 3}, "0-3-00000000000000bb"};
  for (const auto& entries : {std::vector{one, other}, std::vector{other, one}})
    EXPECT_EQ(entries_text({.hosts_per_slice = 4, .rebuilding = false, .entries = entries}),
              "0-3-00000000000000aa\n0-3-00000000000000bb\n");
}

TEST(LedgerRecord, finds_an_entry_by_its_token) {
  EXPECT_EQ(two.find("0-3-00000000000000bb"), &two.entries[1]);
  EXPECT_EQ(two.find("0-3-00000000000000aa"), nullptr);
}

TEST(LedgerRecord, holds_the_places_below_its_hosts) {
  EXPECT_TRUE(two.can_hold({0, 3}));
  EXPECT_FALSE(two.can_hold({0, 4}));
}

TEST(LedgerRecord, reads_what_it_wrote) {
  const auto entries = parse_entries(entries_text(two));
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ(entries->front(), two.entries.back());
  EXPECT_TRUE(parse_entries("")->empty());
  EXPECT_EQ(parse_entries("0-3-00000000000000bb")->size(), 1u);  // without its last newline
}

TEST(LedgerRecord, names_the_line_that_is_no_token) {
  const auto entries = parse_entries("0-3-00000000000000bb\n0-4\n");
  ASSERT_FALSE(entries);
  const std::string message = entries.error().message();
  EXPECT_EQ(message, "line 2 is \"0-4\", expected <slice>-<host>-<16 hex digits>");
}

TEST(LedgerRecord, drops_what_is_not_of_its_slices) {
  LedgerRecord record{.hosts_per_slice = 4, .rebuilding = false, .entries = two.entries};
  EXPECT_EQ(record.drop_impossible(), 0u);
  for (const topology::Place place :
       {topology::Place{0, 4}, topology::Place{0, 4294967295u}, topology::Place{4294967295u, 0}})
    record.entries.push_back({place, "token"});
  EXPECT_EQ(record.drop_impossible(), 3u);
  EXPECT_EQ(record.entries, two.entries);
}

}  // namespace
}  // namespace tpuwh::webhook::ledger
