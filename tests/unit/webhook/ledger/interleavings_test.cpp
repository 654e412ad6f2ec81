// No two members with one place, and every group whole in the end, whatever happens in
// whatever order. TPUWH_SEED and TPUWH_WORLDS choose others and more.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/support/named_case.hpp"
#include "tests/unit/webhook/ledger/small_world.hpp"

namespace tpuwh::webhook::ledger {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string story_of(std::uint64_t seed) {
  Figures ignored;
  SmallWorld world(seed, Wrong::nothing, ignored);
  world.tell();
  world.run();
  return "TPUWH_WORLDS=1 TPUWH_SEED=" + std::to_string(seed) + '\n' + world.story();
}

TEST(Interleavings, give_no_place_twice) {
  const std::uint64_t seed = from_environment("TPUWH_SEED", 20261121);
  const std::uint64_t worlds = from_environment("TPUWH_WORLDS", 100'000);
  Figures figures;
  for (std::uint64_t world = 0; world < worlds; ++world) {
    const std::string fault = SmallWorld(seed + world, Wrong::nothing, figures).run();
    ASSERT_EQ(fault, "") << story_of(seed + world);
  }
  std::cout << "seed " << seed << ": " << figures.worlds << " interleavings, " << figures.steps
            << " steps; " << figures.given << " places given, " << figures.refused << " refused, "
            << figures.stored << " Pods stored, " << figures.rejected << " rejected, "
            << figures.deleted << " deleted; " << figures.crashes << " crashes, " << figures.copies
            << " copies, " << figures.dry_runs << " dry runs, " << figures.relists << " re-lists, "
            << figures.conflicts << " conflicts, " << figures.lost_answers << " answers lost, "
            << figures.records_lost << " records lost, " << figures.ignored
            << " deletions ignored, " << figures.paused << " pauses, " << figures.record_lists
            << " lists of records\n";
  EXPECT_GT(figures.conflicts, worlds / 10);
  EXPECT_GT(figures.records_lost, worlds / 400);
  EXPECT_GT(figures.ignored, worlds / 10);
  EXPECT_GT(figures.paused, worlds / 10);
  EXPECT_GT(figures.record_lists, worlds / 2);
}

struct WrongCase {
  std::string_view name;
  Wrong wrong;
};

class WrongLedger : public testing::TestWithParam<WrongCase> {};

// The same worlds, with a ledger that has one of the faults that others had.
TEST_P(WrongLedger, is_caught) {
  Figures figures;
  std::uint64_t world = 0;
  std::string fault;
  while (fault.find("two members") == std::string::npos && world < 20'000)
    fault = SmallWorld(world++, GetParam().wrong, figures).run();
  EXPECT_NE(fault, "") << "not in " << world << " interleavings";
  std::cout << GetParam().name << ": caught in interleaving " << world << ": " << fault << '\n';
}

const WrongCase wrong_cases[] = {
    {"entry_dropped_on_confirmation", Wrong::drops_on_confirmation},
    {"freed_by_a_relist_that_goes_back_in_time", Wrong::frees_by_old_relist},
    {"a_copied_pods_token_honoured", Wrong::honours_any_token},
    {"object_deleted_without_precondition", Wrong::deletes_without_precondition},
    {"expiry_by_wall_clock", Wrong::expires_by_wall_clock},
};
INSTANTIATE_TEST_SUITE_P(Cases, WrongLedger, testing::ValuesIn(wrong_cases), test::case_name);

}  // namespace
}  // namespace tpuwh::webhook::ledger
