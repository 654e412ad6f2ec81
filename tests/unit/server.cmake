# The parts of the server that need no port. tests/server speaks to the program.
set(server_tests
  net/address_test.cpp
  catalog/find_pools_test.cpp
  catalog/gcloud_test.cpp
  catalog/notes_test.cpp
  catalog/pages_test.cpp
  catalog/picture_test.cpp
  catalog/pod_test.cpp
  catalog/pool_options_test.cpp
  catalog/command_test.cpp
  cli/cli_test.cpp
  doctor/doctor_test.cpp
  doctor/snapshot_test.cpp
  expand/apps_test.cpp
  expand/expand_test.cpp
  expand/job_test.cpp
  expand/jobset_test.cpp
  expand/lws_test.cpp
  expand/ray_test.cpp
  serve/drain_test.cpp
  text/duration_test.cpp
  https/health_test.cpp
  ledger_admin/ledger_admin_test.cpp
  log/log_test.cpp
  metrics/metrics_test.cpp
  rules/entries_test.cpp
  rules/rules_test.cpp
  https/body_pace_test.cpp
  https/connections_test.cpp
  https/handlers_test.cpp
  https/load_test.cpp
  https/reply_test.cpp
  https/request_parser_test.cpp
  https/router_test.cpp
  https/shedding_test.cpp
  kube/access/api_config_test.cpp
  text/base64_test.cpp
  kube/access/credentials_test.cpp
  kube/access/exec_credential_test.cpp
  kube/access/exec_plugin_test.cpp
  kube/access/kubeconfig_test.cpp
  kube/access/server_url_test.cpp
  kube/certificate/configuration_test.cpp
  kube/certificate/contents_test.cpp
  kube/certificate/renewal_test.cpp
  kube/client/session_test.cpp
  outlook/around_test.cpp
  outlook/node_pools_test.cpp
  source/snapshot_test.cpp
  settings/file_test.cpp
  settings/flags_test.cpp
  text/input_files_test.cpp
  text/near_miss_test.cpp
  slices/audit_test.cpp
  slices/pod_reader_test.cpp
  slices/slice_report_test.cpp
  slices/command_test.cpp
  tls/reloader_test.cpp
  tls/issuing_test.cpp
  tls/wire_test.cpp
)
list(TRANSFORM server_tests PREPEND ${CMAKE_CURRENT_LIST_DIR}/server/)
add_executable(server_test ${server_tests})
target_link_libraries(server_test PRIVATE tpuwh_server_cli tpuwh_test_support fmt::fmt GTest::gmock GTest::gtest_main)
target_compile_definitions(server_test PRIVATE
  TPUWH_OPERATIONS="${CMAKE_SOURCE_DIR}/docs/operations.md")
add_gtest(server_test unit)
