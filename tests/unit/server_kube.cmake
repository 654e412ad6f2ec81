# The client of the API server, without a port.
set(kube_tests
  cluster/ledger_object_test.cpp
  cluster/stalls_test.cpp
  decode/list_decoder_test.cpp
  decode/value_end_test.cpp
  watch/recorded_test.cpp
  client/authorizer_test.cpp
  client/bounded_json_test.cpp
  client/request_test.cpp
  client/response_parser_test.cpp
  client/status_test.cpp
  store/store_test.cpp
  store/freed_objects_test.cpp
  client/token_bucket_test.cpp
  client/turns_test.cpp
  decode/watch_decoder_test.cpp
  watch/hostile_answers_test.cpp
  watch/watch_fsm_test.cpp
)
list(TRANSFORM kube_tests PREPEND ${CMAKE_CURRENT_LIST_DIR}/server/kube/)
add_executable(kube_test ${kube_tests} ${CMAKE_CURRENT_LIST_DIR}/server/net/task_group_test.cpp)
target_link_libraries(kube_test PRIVATE tpuwh_server_kube_cluster nlohmann_json::nlohmann_json fmt::fmt GTest::gmock GTest::gtest_main)
target_compile_definitions(kube_test PRIVATE
  TPUWH_RECORDED="${CMAKE_CURRENT_LIST_DIR}/server/kube/recorded")
tpuwh_compiled_quickly(kube_test)
add_gtest(kube_test "unit;clock")
