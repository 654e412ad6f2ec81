// The catalog as the file has it, for comparison with what was generated from it.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace tpuwh::topology {

inline nlohmann::json read_catalog() {
  std::ifstream file("topology/tpu-catalog.json");
  EXPECT_TRUE(file) << "run in the root of the checkout";
  return nlohmann::json::parse(file);
}

}  // namespace tpuwh::topology
