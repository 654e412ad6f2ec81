# The parts of the server that need no port. tests/server speaks to the program.
set(server_tests
  address_test.cpp
  catalog/accelerator_test.cpp
  catalog/find_pools_test.cpp
  catalog/gcloud_test.cpp
  catalog/notes_test.cpp
  catalog/pages_test.cpp
  catalog/picture_test.cpp
  catalog/pod_test.cpp
  catalog/pool_options_test.cpp
  catalog_command_test.cpp
  cli_test.cpp
  doctor/doctor_test.cpp
  doctor/snapshot_test.cpp
  drain_test.cpp
  duration_test.cpp
  health_test.cpp
  ledger_admin/ledger_admin_test.cpp
  log_test.cpp
  metrics/metrics_test.cpp
  rules_test.cpp
  https/handlers_test.cpp
  https/load_test.cpp
  https/reply_test.cpp
  https/request_parser_test.cpp
  https/router_test.cpp
  kube/api_config_test.cpp
  kube/base64_test.cpp
  kube/credentials_test.cpp
  kube/exec_credential_test.cpp
  kube/exec_plugin_test.cpp
  kube/kubeconfig_test.cpp
  kube/server_url_test.cpp
  kube/session_test.cpp
  offline/snapshot_test.cpp
  settings/file_test.cpp
  settings/flags_test.cpp
  settings/near_miss_test.cpp
  slices/audit_test.cpp
  slices/pod_reader_test.cpp
  slices/slice_report_test.cpp
  slices_command_test.cpp
  tls/reloader_test.cpp
  tls/self_issued_test.cpp
)
list(TRANSFORM server_tests PREPEND ${CMAKE_CURRENT_LIST_DIR}/server/)
add_executable(server_test ${server_tests})
target_link_libraries(server_test PRIVATE tpuwh_command_line tpuwh_kube_config tpuwh_test_support fmt::fmt GTest::gmock GTest::gtest_main)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/server/metrics/metrics_test.cpp PROPERTIES
  COMPILE_DEFINITIONS TPUWH_OPERATIONS="${CMAKE_SOURCE_DIR}/docs/operations.md")
add_gtest(server_test unit)
