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
