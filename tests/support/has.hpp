// has() asserts that a text, or one of several texts, contains a part. A failure prints all texts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::test {

inline testing::AssertionResult has(std::string_view text, std::string_view part) {
  if (text.find(part) != text.npos) return testing::AssertionSuccess() << "the text is " << text;
  return testing::AssertionFailure() << "the text is " << text;
}

inline testing::AssertionResult has(const std::vector<std::string>& texts, std::string_view part) {
  const auto holds = [&](const std::string& text) { return text.find(part) != text.npos; };
  return testing::AssertionResult(std::ranges::any_of(texts, holds))
         << testing::PrintToString(texts);
}

}  // namespace tpuwh::test
