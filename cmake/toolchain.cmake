# Compiler, linker and warning flags shared by every target.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(gait_flags INTERFACE)
target_compile_options(gait_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
  -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # libstdc++ 12 implements stable_sort with a function that it deprecates itself, and clang reports that to us.
  target_compile_options(gait_flags INTERFACE -Wno-deprecated-declarations)
endif()
if(GAIT_SANITIZE)
  target_compile_options(gait_flags INTERFACE -fsanitize=${GAIT_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(gait_flags INTERFACE -fsanitize=${GAIT_SANITIZE})
endif()
