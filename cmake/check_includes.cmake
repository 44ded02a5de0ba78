# cmake -DFOLDER=src/gait/share -DUSES="base trace" -P check_includes.cmake: fails when a file of the room in FOLDER
# includes a header of a room that it does not use. One that is reached through another room would compile: the headers
# of that one need it.
cmake_minimum_required(VERSION 3.22)
string(REPLACE " " ";" USES "${USES}")
string(REPLACE " " ";" TEST_USES "${TEST_USES}")
string(REGEX REPLACE "/src/gait/.*" "/src" src "${FOLDER}")

# room_of(FILE OUT): the nearest folder above it that is a room, such as analyze/doctor; nothing where there is none.
function(room_of file out)
  while(file AND NOT EXISTS ${src}/${file}/CMakeLists.txt)
    get_filename_component(file "${file}" DIRECTORY)
  endwhile()
  string(REGEX REPLACE "^gait/" "" room "${file}")
  set(${out} "${room}" PARENT_SCOPE)
endfunction()

file(RELATIVE_PATH own ${src} ${FOLDER})
room_of(${own} own)
file(GLOB_RECURSE files RELATIVE ${src} ${FOLDER}/*.h ${FOLDER}/*.cc)
foreach(file IN LISTS files)
  room_of(${file} room)
  if(NOT room STREQUAL own)
    continue()  # a room inside this one
  endif()
  set(allowed ${USES})
  if(file MATCHES "_test\\.cc$|/test_[^/]*\\.h$")
    list(APPEND allowed ${TEST_USES})
  endif()
  file(STRINGS ${src}/${file} includes REGEX "^#include \"gait/")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" header "${include}")
    room_of(${header} room)
    if(room AND NOT room STREQUAL own AND NOT room IN_LIST allowed)
      message(SEND_ERROR "src/${file} includes ${header}, but ${own} does not use ${room} (its CMakeLists.txt)")
    endif()
  endforeach()
endforeach()
