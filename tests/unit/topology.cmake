# topology_test reads topology/tpu-catalog.json, so it runs in the root of the checkout.
add_executable(topology_test
  topology/accelerator_test.cpp topology/allocations.cpp topology/layout/blocks_test.cpp topology/catalog_test.cpp topology/dims_test.cpp
  topology/layout/grid_test.cpp topology/layout/multislice_test.cpp topology/next_member_test.cpp
  topology/layout/node_pool_test.cpp topology/slice_test.cpp topology/layout/sub_slice_test.cpp)
# It replaces operator new, which GCC then inlines into its neighbours and takes for a mismatch.
set_source_files_properties(topology/allocations.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_link_libraries(topology_test
  PRIVATE tpuwh_topology_layout tpuwh_topology nlohmann_json::nlohmann_json GTest::gtest_main)
add_gtest(topology_test unit)
set_tests_properties(topology_test PROPERTIES WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})

# The generator stops at data it does not understand: file, sentence. Each file is a
# whole small catalog with one fault.
function(generator_refuses name sentence)
  add_test(NAME generate_catalog.refuses_${name}
    COMMAND tpuwh_generate_catalog
      ${CMAKE_CURRENT_SOURCE_DIR}/topology/bad_catalog/${name}.json
      ${CMAKE_CURRENT_BINARY_DIR}/refused_${name}.hpp)
  set_tests_properties(generate_catalog.refuses_${name} PROPERTIES
    LABELS unit PASS_REGULAR_EXPRESSION "${name}.json: .*${sentence}")
endfunction()
generator_refuses(no_schema_version "the file: has no \"schema_version\"")
generator_refuses(new_wrap_rule
  "generations.0..wrap_rule: is not a known wrap rule: true on every prime axis")
generator_refuses(unknown_twin
  "generations.0..machine_types.1..topologies_same_as: is not a machine type of this generation")
generator_refuses(wrong_rank
  "topologies.0..topology: does not have the dimensions of its generation")
generator_refuses(unlisted_small_slice
  "small_slices.allowed.1.: is not a row of any machine type")
generator_refuses(unknown_source "source.0.: is not an id in \"sources\"")
