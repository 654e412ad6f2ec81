#include "webhook/facts/provenance.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/named_case.hpp"

namespace tpuwh::webhook::facts {
namespace {

using namespace std::string_literals;
using test::case_name;
using test::PrintTo;

std::string written(const Provenance& record) {
  base::Buffer out;
  record.append_to(out);
  return std::string(out.view());
}

TEST(ProvenanceTest, comes_back_as_it_was_written) {
  Provenance record;
  record.set_inputs(base::digest("inputs"));
  record.record("a", read::Variable::tpu_worker_id, "0");
  record.record("a", read::Variable::tpu_name, "n");
  record.record("b", read::Variable::tpu_worker_id, "1");
  const std::string text = written(record);
  const auto of = [](std::string_view value) {
    return std::string(base::view(base::digest(value)));
  };
  EXPECT_EQ(text, "v1;" + of("inputs") + ";a:TPU_WORKER_ID=" + of("0") + ",TPU_NAME=" + of("n") +
                      ";b:TPU_WORKER_ID=" + of("1"));

  Provenance read;
  read.parse(text);
  EXPECT_TRUE(read.parsed());
  EXPECT_FALSE(read.foreign());
  EXPECT_TRUE(read.has_inputs(base::digest("inputs")));
  EXPECT_FALSE(read.has_inputs(base::digest("other")));
  ASSERT_NE(read.find("b", read::Variable::tpu_worker_id), nullptr);
  EXPECT_EQ(base::view(read.find("b", read::Variable::tpu_worker_id)->digest), of("1"));
  EXPECT_EQ(read.find("b", read::Variable::tpu_name), nullptr);
  EXPECT_EQ(read.find("c", read::Variable::tpu_worker_id), nullptr);
  EXPECT_EQ(written(read), text);
}

TEST(ProvenanceTest, nothing_of_ours_is_a_record_too) {
  Provenance record, read;
  record.set_inputs(base::digest("x"));
  const std::string text = written(record);
  read.parse(text);
  EXPECT_TRUE(read.parsed() && read.empty() && read.has_inputs(base::digest("x")));
}

// Its separators stand in no name that the API server takes.
TEST(ProvenanceTest, keeps_no_record_of_a_container_without_a_name) {
  Provenance record;
  for (const char* name : {"", "a:b", "a;b", "a,b", "A", "a=b"})
    record.record(name, read::Variable::tpu_name, "n");
  EXPECT_TRUE(record.empty());
}

struct Garbage {
  std::string_view name;
  std::string text;
  bool parsed = false;
  bool foreign = false;
  std::size_t entries = 0;
};

class ProvenanceGarbage : public testing::TestWithParam<Garbage> {};

TEST_P(ProvenanceGarbage, is_as_good_as_absent) {
  Provenance read;
  read.parse(GetParam().text);
  EXPECT_EQ(read.parsed(), GetParam().parsed);
  EXPECT_EQ(read.foreign(), GetParam().foreign);
  EXPECT_EQ(read.entries().size(), GetParam().entries);
  read.parse("");
  EXPECT_TRUE(!read.parsed() && !read.foreign() && read.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Provenance, ProvenanceGarbage,
    testing::Values(
        Garbage{"empty", ""}, Garbage{"word", "hello"}, Garbage{"version_alone", "v1"},
        Garbage{"no_inputs", "v1;"}, Garbage{"short_inputs", "v1;1234567;a:TPU_NAME=12345678"},
        Garbage{"long_inputs", "v1;123456789;a:TPU_NAME=12345678"},
        Garbage{"blank_before", " v1;12345678"}, Garbage{"upper", "V1;12345678"},
        Garbage{"one", "v1;12345678;a:TPU_NAME=12345678", true, false, 1},
        Garbage{"nothing_ours", "v1;12345678", true},
        Garbage{"separator_at_end", "v1;12345678;", true},
        Garbage{"no_list", "v1;12345678;a", true}, Garbage{"empty_list", "v1;12345678;a:", true},
        Garbage{"no_digest", "v1;12345678;a:TPU_NAME", true},
        Garbage{"short_digest", "v1;12345678;a:TPU_NAME=1234567", true},
        Garbage{"long_digest", "v1;12345678;a:TPU_NAME=123456789", true},
        Garbage{"unknown_variable", "v1;12345678;a:TPU_NAMES=12345678,TPU_NAME=12345678", true,
                false, 1},
        Garbage{"no_name", "v1;12345678;A:TPU_NAME=12345678;:TPU_NAME=12345678", true},
        Garbage{"longest_name", "v1;12345678;" + std::string(63, 'a') + ":TPU_NAME=12345678", true,
                false, 1},
        Garbage{"too_long_name", "v1;12345678;" + std::string(64, 'a') + ":TPU_NAME=12345678",
                true},
        Garbage{"separators_at_end", "v1;12345678;;", true},
        Garbage{"only_separators", "v1;12345678;;;::,,==;", true},
        Garbage{"nul", "v1;12345678;a:TPU_NAME=1234567\0"s, true, false, 1},
        Garbage{"later", "v2;whatever", false, true}, Garbage{"much_later", "v17", false, true},
        Garbage{"v0", "v0;x", false, true}, Garbage{"no_version", "v;x"}, Garbage{"v01", "v01;x"},
        Garbage{"v1x", "v1x;12345678"}, Garbage{"vx", "vx;1"}, Garbage{"v_minus", "v-2;1"}),
    case_name);

TEST(ProvenanceTest, a_huge_record_is_not_kept) {
  for (const bool one_container : {false, true}) {
    std::string text = "v1;12345678;c:TPU_NAME=12345678";
    for (int i = 0; i < 100'000; ++i)
      text +=
          (one_container ? std::string(",") : ";c" + std::to_string(i) + ":") + "TPU_NAME=12345678";
    Provenance read;
    read.parse(text);
    EXPECT_LT(read.entries().size(), 1000u);
  }
}

}  // namespace
}  // namespace tpuwh::webhook::facts
