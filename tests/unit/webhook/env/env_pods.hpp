// Pods and answers that the tests of the environment share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/admitted.hpp"

namespace tpuwh::webhook::env::env_test {

inline constexpr const char* id = "TPU_WORKER_ID";
inline constexpr const char* names = "TPU_WORKER_HOSTNAMES";
inline constexpr const char* addresses = "TPU_PROCESS_ADDRESSES";

using Wanted = std::vector<std::pair<std::string, std::string>>;

// The environment of a container without what the test put there itself.
inline Wanted env_of(const test::Admitted& answer, std::size_t container = 0) {
  Wanted all;
  const test::json& object = answer.object.at("spec").at("containers").at(container);
  for (const std::string& name : test::env_names(object))
    all.emplace_back(name, test::effective(object, name));
  return all;
}

inline test::PodBuilder ironwood() {
  return test::a_pod().accelerator("tpu7x");
}

inline test::PodBuilder two_slices() {
  return test::a_pod().jobset("s", "r", 2, 1, 0).on("2x4", 4);
}

// Entries of a container's env.
inline test::json literal(const char* name, const char* value) {
  return {{"name", name}, {"value", value}};
}
inline test::json from(const char* name, const char* path) {
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
}

}  // namespace tpuwh::webhook::env::env_test
