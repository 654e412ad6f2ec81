#include "webhook/facts/provenance.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace tpuwh::webhook::facts {
namespace {

using namespace std::string_literals;

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

TEST(ProvenanceTest, garbage_is_as_good_as_absent) {
  const auto expect = [](bool parsed, bool foreign, std::size_t entries,
                         std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) {
      Provenance read;
      read.parse(text);
      EXPECT_EQ(read.parsed(), parsed) << text;
      EXPECT_EQ(read.foreign(), foreign) << text;
      EXPECT_EQ(read.entries().size(), entries) << text;
      read.parse("");
      EXPECT_TRUE(!read.parsed() && !read.foreign() && read.empty());
    }
  };
  expect(false, false, 0,
         {"", "hello", "v1", "v1;", "v1;1234567;a:TPU_NAME=12345678",
          "v1;123456789;a:TPU_NAME=12345678", " v1;12345678", "V1;12345678", "v;x", "v01;x",
          "v1x;12345678", "vx;1", "v-2;1"});
  expect(true, false, 0,
         {"v1;12345678", "v1;12345678;", "v1;12345678;a",
          "v1;12345678;a:", "v1;12345678;a:TPU_NAME", "v1;12345678;a:TPU_NAME=1234567",
          "v1;12345678;a:TPU_NAME=123456789", "v1;12345678;A:TPU_NAME=12345678;:TPU_NAME=12345678",
          "v1;12345678;" + std::string(64, 'a') + ":TPU_NAME=12345678", "v1;12345678;;",
          "v1;12345678;;;::,,==;"});
  expect(true, false, 1,
         {"v1;12345678;a:TPU_NAME=12345678", "v1;12345678;a:TPU_NAMES=12345678,TPU_NAME=12345678",
          "v1;12345678;" + std::string(63, 'a') + ":TPU_NAME=12345678",
          "v1;12345678;a:TPU_NAME=1234567\0"s});
  expect(false, true, 0, {"v2;whatever", "v17", "v0;x"});
}

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
