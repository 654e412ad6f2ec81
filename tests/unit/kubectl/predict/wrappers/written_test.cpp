#include "kubectl/predict/wrappers/written.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tpuwh::server::wrappers {
namespace {

using testing::ElementsAre;

source::Origin written(std::vector<source::Written> parts) {
  source::Origin out;
  out.written = std::move(parts);
  return out;
}

const source::Origin sample = written({{"/spec", "Runtime", "", "r", "/spec/template/spec"},
                                       {"/spec/a/env", "", "", "", ""},
                                       {"/spec/x", "TrainJob", "ns", "t", "/spec/n"},
                                       {"/spec/y", "TrainJob", "ns", "t", "/spec/n"}});

TEST(WhereAPartIsWritten, is_said_by_the_longest) {
  EXPECT_EQ(where_written(sample, "/spec/b/c")->written.at, "/spec/template/spec/b/c");
  EXPECT_EQ(where_written(sample, "/spec/x")->written.kind, "TrainJob");
  EXPECT_FALSE(where_written(sample, "/metadata/name"));
  EXPECT_FALSE(where_written(sample, "/specification"));
}

TEST(WhereAPartIsWritten, is_nowhere_where_a_controller_computes_it_or_a_part_of_it) {
  EXPECT_FALSE(where_written(sample, "/spec/a/env"));
  EXPECT_FALSE(where_written(sample, "/spec/a/env/0"));
  EXPECT_FALSE(where_written(sample, "/spec/a"));
}

TEST(WhereAPartIsWritten, has_the_other_parts_that_are_written_there) {
  EXPECT_THAT(where_written(sample, "/spec/x")->also, ElementsAre("/spec/y"));
}

TEST(WhatIsWritten, is_seen_through_an_object_that_another_one_holds) {
  const source::Origin outer =
      written({{"", "AppWrapper", "ns", "a", "/spec/components/0/template"}});
  const source::Written seen = through(sample.written[2], outer);
  EXPECT_EQ(seen.part, "/spec/x");
  EXPECT_EQ(seen.kind, "AppWrapper");
  EXPECT_EQ(seen.at, "/spec/components/0/template/spec/n");
  EXPECT_EQ(through(sample.written[2], {}).kind, "");
}

}  // namespace
}  // namespace tpuwh::server::wrappers
