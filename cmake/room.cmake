# gait_together(TARGET): with GAIT_TOGETHER, compiles the sources of each folder of the target together, twenty at a time.
# That takes a third of the time; names without linkage are therefore unique in a folder. The preset debug compiles
# each file by itself, and finds those that do not include what they use.
function(gait_together target)
  if(NOT GAIT_TOGETHER)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    list(APPEND in_${folder} ${source})
    list(LENGTH in_${folder} count)
    math(EXPR batch "(${count} - 1) / 20")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # it takes an included source for a header
  endif()
endfunction()

# gait_precompile(TARGET KIND [HEADER...]): with GAIT_TOGETHER, what nearly every source includes, and HEADER, is read
# once for all targets of a kind: those with the same compiler flags. The first of them keeps it.
function(gait_precompile target kind)
  if(NOT GAIT_TOGETHER)
    return()
  endif()
  get_property(keeper GLOBAL PROPERTY GAIT_PRECOMPILED_${kind})
  if(keeper)
    target_precompile_headers(${target} REUSE_FROM ${keeper})
    return()
  endif()
  set_property(GLOBAL PROPERTY GAIT_PRECOMPILED_${kind} ${target})
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <expected> <filesystem> <functional> <map> <memory>
    <mutex> <numeric> <optional> <random> <set> <span> <string> <string_view> <thread> <tuple> <unordered_map>
    <utility> <vector> <fmt/format.h> <fmt/ranges.h> ${ARGN})
endfunction()

# gait_room(NAME [SOURCES ...] [USES rooms...] [LIBRARIES ...] [TESTING ...] [TEST_USES rooms...] [TESTS ...])
#
# One room is one folder of src/gait, one static library gait_NAME and, for TESTS, one test program NAME_test.
# Headers are included as "gait/NAME/header.h". Each room has an include root of its own, which only the rooms that
# list it under USES get to see, and those that use them; the latter may not include it either (check_includes.cmake).
# TESTING are sources that tests of this room and of those that use it share, the library gait_NAME_testing. Tests may
# also ask the rooms under TEST_USES: those that make an input, or that show what comes of it.
set(check_includes ${CMAKE_CURRENT_LIST_DIR}/check_includes.cmake)
function(gait_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;LIBRARIES;TESTING;TEST_USES;TESTS" ${ARGN})
  string(REPLACE "/" "_" target gait_${name})
  set(root ${CMAKE_BINARY_DIR}/rooms/${target})
  get_filename_component(parent gait/${name} DIRECTORY)
  file(MAKE_DIRECTORY ${root}/${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/gait/${name} SYMBOLIC)

  set(uses "")
  foreach(room IN LISTS ROOM_USES)
    string(REPLACE "/" "_" room gait_${room})
    list(APPEND uses ${room})
  endforeach()

  add_library(${target} STATIC ${ROOM_SOURCES})
  target_include_directories(${target} PUBLIC ${root})
  target_link_libraries(${target} PUBLIC ${uses} ${ROOM_LIBRARIES} PRIVATE gait_flags)
  gait_together(${target})
  set_property(GLOBAL APPEND PROPERTY GAIT_ROOMS ${target})
  file(GLOB_RECURSE files *.h *.cc)  # also the tests that a room makes programs of by itself
  add_custom_command(
    OUTPUT ${root}/checked
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_SOURCE_DIR} "-DUSES=$<JOIN:${ROOM_USES}, >"
            "-DTEST_USES=$<JOIN:${ROOM_TEST_USES}, >" -P ${check_includes}
    COMMAND ${CMAKE_COMMAND} -E touch ${root}/checked
    DEPENDS ${check_includes} ${files}
    VERBATIM)
  add_custom_target(${target}_includes DEPENDS ${root}/checked)
  add_dependencies(${target} ${target}_includes)

  # The rooms that do the reading are tried on much data; without any optimisation sanitizers take minutes there. They
  # are what hostile bytes reach, and have all checks.
  set(kind room)
  set(optimised "")
  if(GAIT_SANITIZE AND name MATCHES "^(base|trace|read/)")
    set(kind reading_room)
    set(optimised -O1)
    set_target_properties(${target} PROPERTIES GAIT_READS ON)
  endif()
  target_compile_options(${target} PRIVATE ${optimised})
  gait_precompile(${target} ${kind})

  if(NOT GAIT_TESTS)
    return()
  endif()
  set(testing "")
  foreach(room IN LISTS uses)  # those of TEST_USES may come later
    if(TARGET ${room}_testing)
      list(APPEND testing ${room}_testing)
    endif()
  endforeach()
  if(ROOM_TESTING)
    add_library(${target}_testing STATIC ${ROOM_TESTING})
    target_link_libraries(${target}_testing PUBLIC ${target} ${testing} PRIVATE gait_flags)
    target_compile_options(${target}_testing PRIVATE ${optimised})
    list(APPEND testing ${target}_testing)
  endif()
  if(ROOM_TESTS)
    add_executable(${target}_test ${ROOM_TESTS})
    list(TRANSFORM ROOM_TEST_USES REPLACE "/" "_")
    list(TRANSFORM ROOM_TEST_USES PREPEND gait_)
    foreach(room IN LISTS ROOM_TEST_USES)
      list(APPEND testing $<TARGET_NAME_IF_EXISTS:${room}_testing>)
    endforeach()
    target_link_libraries(${target}_test PRIVATE ${target} ${ROOM_TEST_USES} ${testing} gait_flags GTest::gtest_main)
    gait_together(${target}_test)
    gait_precompile(${target}_test test <gtest/gtest.h>)
    # Tests spend their time in the rooms, which are optimised; GoogleTest's macros take long to.
    target_compile_options(${target}_test PRIVATE -O0)
    target_compile_definitions(${target}_test PRIVATE GAIT_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    add_test(NAME ${name} COMMAND ${target}_test)
  endif()
endfunction()
