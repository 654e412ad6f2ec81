# Builders, a strict patch applier, and admit() with what must hold of any answer checked.
add_library(tpuwh_test_support STATIC
  ${PROJECT_SOURCE_DIR}/tests/support/admitted.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/full_pod.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/json_text.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/pod_builder.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/validated.cpp)
target_link_libraries(tpuwh_test_support
  PUBLIC tpuwh_test_answer tpuwh_webhook nlohmann_json::nlohmann_json GTest::gtest)

# property_test takes TPUWH_SEED and TPUWH_ROUNDS from the environment.
add_executable(webhook_test
  webhook/answer/admit_test.cpp
  webhook/controllers/counts_test.cpp
  webhook/controllers/refusals_test.cpp
  webhook/read/affinity_test.cpp
  webhook/answer/again_test.cpp
  base/base64_test.cpp
  base/counted_test.cpp
  base/edit_distance_test.cpp
  base/buffer_test.cpp
  webhook/read/claims_test.cpp
  webhook/decide/decide_test.cpp
  webhook/decide/levels_test.cpp
  webhook/env/reconcile_test.cpp
  webhook/env/values_test.cpp
  webhook/env/wanted_test.cpp
  base/hash_test.cpp
  base/json/reader_test.cpp
  webhook/ledger/ledger_test.cpp
  webhook/answer/members_test.cpp
  webhook/answer/mode_test.cpp
  base/names_test.cpp
  webhook/write/json_test.cpp
  webhook/write/patch_test.cpp
  webhook/placement/hint_test.cpp
  webhook/placement/placement_test.cpp
  webhook/pools/fit_test.cpp
  webhook/pools/pools_test.cpp
  webhook/env/process_ports_test.cpp
  webhook/read/pod_test.cpp
  webhook/answer/property_test.cpp
  webhook/facts/provenance_test.cpp
  webhook/read/chips_test.cpp
  base/release_test.cpp
  webhook/reasons/reasons_test.cpp
  webhook/answer/respond_test.cpp
  webhook/read/review_test.cpp
  webhook/answer/size_test.cpp
  webhook/answer/unmapped_test.cpp
  webhook/facts/shape_test.cpp
  webhook/write/shared_text_test.cpp
  webhook/write/surface_test.cpp
  webhook/ledger/token_test.cpp
  webhook/validate/apps_test.cpp
  webhook/validate/job_test.cpp
  webhook/validate/lws_test.cpp
  webhook/validate/ray_test.cpp
  webhook/validate/validate_test.cpp
  webhook/read/key_values_test.cpp
  webhook/read/vocabulary_test.cpp
  webhook/workloads/annotations_test.cpp
  webhook/workloads/job_test.cpp
  webhook/workloads/jobset_test.cpp
  webhook/workloads/lws_test.cpp
  webhook/workloads/pod_test.cpp
  webhook/workloads/ray_test.cpp
  webhook/workloads/statefulset_test.cpp
  webhook/workloads/table_test.cpp)
target_link_libraries(webhook_test PRIVATE tpuwh_test_support GTest::gtest_main)
add_gtest(webhook_test unit PARTS 4)
if(TPUWH_SANITIZE OR TPUWH_TSAN)  # 3,000 of each would take four minutes, and without a sanitizer they run
  set_property(TEST webhook_test webhook_test.part_2 webhook_test.part_3 webhook_test.part_4
               APPEND PROPERTY ENVIRONMENT TPUWH_ROUNDS=1000)
endif()

# What a review costs, each list against each other: it measures, so it is a program of its own.
add_executable(growth_test webhook/answer/growth_test.cpp)
target_link_libraries(growth_test PRIVATE tpuwh_webhook GTest::gtest_main)
add_gtest(growth_test unit)

# The ledger in 100,000 small worlds; TPUWH_SEED and TPUWH_WORLDS choose others.
add_executable(ledger_test
  webhook/ledger/group_ledger_test.cpp
  webhook/ledger/interleavings_test.cpp
  webhook/ledger/record_test.cpp
  webhook/ledger/small_world.cpp)
target_link_libraries(ledger_test PRIVATE tpuwh_webhook GTest::gtest_main)
add_gtest(ledger_test unit)
if(TPUWH_SANITIZE OR TPUWH_TSAN)  # 100,000 would take 20 minutes
  set_property(TEST ledger_test APPEND PROPERTY ENVIRONMENT TPUWH_WORLDS=3000)
endif()
