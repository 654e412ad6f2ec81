#include "webhook/read/key_values.hpp"

#include <gtest/gtest.h>

#include "webhook/read/vocabulary.hpp"

namespace tpuwh::webhook::read {
namespace {

TEST(KeyValues, an_absent_key_has_no_text) {
  KeyValues<Label> labels;
  EXPECT_FALSE(labels.has(Label::token));
  EXPECT_EQ(labels.text(Label::token), "");
  EXPECT_EQ(labels.find(Label::token), std::nullopt);
}

TEST(KeyValues, has_none_at_first) {
  const KeyValues<Label> labels;
  for (std::size_t i = 0; i < label_count; ++i) EXPECT_FALSE(labels.has(static_cast<Label>(i)));
}

TEST(KeyValues, an_empty_text_is_there) {
  KeyValues<Label> labels;
  labels.set(Label::token, "");
  EXPECT_TRUE(labels.has(Label::token));
  EXPECT_EQ(labels.find(Label::token), std::optional<std::string_view>(""));
}

TEST(KeyValues, forgets_one_or_all) {
  KeyValues<Annotation> annotations;
  for (std::size_t i = 0; i < annotation_count; ++i)
    annotations.set(static_cast<Annotation>(i), "v");
  annotations.forget(Annotation::inject);
  for (std::size_t i = 0; i < annotation_count; ++i) {
    const auto each = static_cast<Annotation>(i);
    EXPECT_EQ(annotations.text(each), each == Annotation::inject ? "" : "v");
  }
  annotations.clear();
  for (std::size_t i = 0; i < annotation_count; ++i)
    EXPECT_EQ(annotations.text(static_cast<Annotation>(i)), "");
}

}  // namespace
}  // namespace tpuwh::webhook::read
