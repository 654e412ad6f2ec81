# The client of the API server, without a port.
set(kube_tests
  ledger_object_test.cpp
  list_decoder_test.cpp
  recorded_test.cpp
  request_test.cpp
  response_parser_test.cpp
  status_test.cpp
  store_test.cpp
  token_bucket_test.cpp
  watch_decoder_test.cpp
  watch_fsm_test.cpp
)
list(TRANSFORM kube_tests PREPEND ${CMAKE_CURRENT_LIST_DIR}/server/kube/)
add_executable(kube_test ${kube_tests})
target_link_libraries(kube_test PRIVATE tpuwh_kube nlohmann_json::nlohmann_json fmt::fmt GTest::gmock GTest::gtest_main)
target_compile_definitions(kube_test PRIVATE
  TPUWH_RECORDED="${CMAKE_CURRENT_LIST_DIR}/server/kube/recorded")
add_gtest(kube_test unit)
