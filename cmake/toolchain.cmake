# Compiler, linker and warning flags shared by every target.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # It keeps what is compiled with precompiled headers only when told that no macro of a command changes them.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

add_library(gait_flags INTERFACE)
target_compile_options(gait_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # pip install is done by people with other compilers, whose warnings are not their affair.
  $<$<NOT:$<BOOL:${SKBUILD}>>:-Werror>
  -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # std::stable_sort of libstdc++ 12 uses a function that C++17 deprecated, and clang says so at our calls.
  target_compile_options(gait_flags INTERFACE -Wno-deprecated-declarations)
  # The time of a precompiled header is not in it, so that ccache finds the same one again.
  target_compile_options(gait_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  find_program(LLD NAMES ld.lld-19 ld.lld)
  if(LLD)  # five times as fast as GNU ld; clang finds the one of its own version
    target_link_options(gait_flags INTERFACE -fuse-ld=lld)
  endif()
endif()
if(GAIT_SANITIZE)
  target_compile_options(gait_flags INTERFACE -fsanitize=${GAIT_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(gait_flags INTERFACE -fsanitize=${GAIT_SANITIZE})
  if(GAIT_COVERAGE)
    target_compile_options(gait_flags INTERFACE -fsanitize=fuzzer-no-link)
  else()
    # Elsewhere than in the rooms that read, unit tests go without the checks of every single access, which double the
    # code: address finds what matters of them.
    target_compile_options(gait_flags INTERFACE
      $<$<NOT:$<BOOL:$<TARGET_PROPERTY:GAIT_READS>>>:-fno-sanitize=null,alignment,object-size,vptr,function>)
  endif()
endif()
