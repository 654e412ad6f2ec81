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
  webhook/admit_test.cpp
  webhook/affinity_test.cpp
  webhook/again_test.cpp
  webhook/base64_test.cpp
  webhook/buffer_test.cpp
  webhook/claims_test.cpp
  webhook/decide_test.cpp
  webhook/env_test.cpp
  webhook/hash_test.cpp
  webhook/json_reader_test.cpp
  webhook/ledger_test.cpp
  webhook/members_test.cpp
  webhook/mode_test.cpp
  webhook/names_test.cpp
  webhook/patch_test.cpp
  webhook/placement_test.cpp
  webhook/pod_test.cpp
  webhook/property_test.cpp
  webhook/provenance_test.cpp
  webhook/quantity_test.cpp
  webhook/respond_test.cpp
  webhook/review_test.cpp
  webhook/shape_test.cpp
  webhook/shared_text_test.cpp
  webhook/surface_test.cpp
  webhook/token_test.cpp
  webhook/validate/job_test.cpp
  webhook/validate/lws_test.cpp
  webhook/validate/ray_test.cpp
  webhook/validate_test.cpp
  webhook/vocabulary_test.cpp
  webhook/workloads/annotations_test.cpp
  webhook/workloads/job_test.cpp
  webhook/workloads/jobset_test.cpp
  webhook/workloads/lws_test.cpp
  webhook/workloads/pod_test.cpp
  webhook/workloads/ray_test.cpp
  webhook/workloads/statefulset_test.cpp
  webhook/workloads/table_test.cpp)
target_link_libraries(webhook_test PRIVATE tpuwh_test_support GTest::gtest_main)
add_gtest(webhook_test unit)

# The ledger in 100,000 small worlds; TPUWH_SEED and TPUWH_WORLDS choose others.
add_executable(ledger_test
  webhook/ledger/group_ledger_test.cpp
  webhook/ledger/interleavings_test.cpp
  webhook/ledger/record_test.cpp
  webhook/ledger/small_world.cpp)
target_link_libraries(ledger_test PRIVATE tpuwh_webhook GTest::gtest_main)
add_gtest(ledger_test unit)
if(TPUWH_SANITIZE OR TPUWH_TSAN)  # 100,000 would take 20 minutes
  set_tests_properties(ledger_test PROPERTIES ENVIRONMENT TPUWH_WORLDS=3000)
endif()
