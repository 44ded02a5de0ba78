# gait_room(NAME [SOURCES ...] [USES rooms...] [LIBRARIES ...] [TESTS ...])
#
# One room is one folder of src/gait, one static library gait_NAME and, for TESTS, one test program NAME_test.
# Headers are included as "gait/NAME/header.h". Each room has an include root of its own, which only the rooms that
# list it under USES get to see: an include of any other room does not compile.
function(gait_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;LIBRARIES;TESTS" ${ARGN})
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

  if(GAIT_TESTS AND ROOM_TESTS)
    add_executable(${target}_test ${ROOM_TESTS})
    target_link_libraries(${target}_test PRIVATE ${target} gait_flags GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${target}_test)
  endif()
endfunction()
