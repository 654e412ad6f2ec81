#include "kubectl/text/near_miss.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tpuwh::server::text {
namespace {

TEST(NearMissTest, finds_the_nearest) {
  const std::pair<const char*, const char*> cases[] = {
      {"listn", "listen"},
      {"lsiten", "listen"},
      {"drain_delay", "drain.delay"},
      {"drainDelay", "drain.delay"},
      {"tls-hostname", "tls.hostnames"},
      {"jbo", "job"},
      {"placement", ""},
      {"cat", ""},
      {"", ""},
  };
  for (const auto& [typed, want] : cases) {
    SCOPED_TRACE(typed);
    const std::vector<std::string> names = {"listen", "drain.delay", "tls.hostnames", "log", "job"};
    EXPECT_EQ(closest(typed, names), want);
  }
}

TEST(NearMissTest, does_not_measure_endless_names) {
  EXPECT_EQ(closest(std::string(1 << 20, 'l'), std::vector<std::string>{"listen"}), "");
}

}  // namespace
}  // namespace tpuwh::server::text
