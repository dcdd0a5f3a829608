# What every translation unit of Clade is compiled with: `clade_options`.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CLADE_CCACHE ccache)
if(CLADE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache looks into precompiled headers only if it is told that their macros and times do not matter.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CLADE_CCACHE})
endif()

add_library(clade_options INTERFACE)
target_compile_options(clade_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -Wno-missing-field-initializers  # designated initialisers name what differs from the defaults
  $<$<BOOL:${CLADE_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside its own headers at -O2 (bugs 105329, 105593, 105651 and others); clang checks the same.
  target_compile_options(clade_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds
    -Wno-maybe-uninitialized -Wno-uninitialized)
  # It looks for memory to free again and again, which takes a tenth of its time, unless it may use some first (KiB).
  target_compile_options(clade_options INTERFACE --param=ggc-min-heapsize=1048576)
endif()

if(CLADE_NATIVE)
  target_compile_options(clade_options INTERFACE -march=native)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # clang 19 contradicts itself on processors whose AVX10 it takes for that of 256 bits, and warns of it.
    target_compile_options(clade_options INTERFACE -Wno-unknown-warning-option -Wno-invalid-feature-combination)
  endif()
endif()

if(CLADE_SANITIZE)
  target_compile_options(clade_options INTERFACE -fsanitize=${CLADE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(clade_options INTERFACE -fsanitize=${CLADE_SANITIZE})
endif()
if(CLADE_COVERAGE)
  target_compile_options(clade_options INTERFACE --coverage)
  target_link_options(clade_options INTERFACE --coverage)
endif()

# What most files include, compiled once. The files still include what they use: builds without CLADE_PCH check that.
# Little is in it: a large precompiled header takes longer to load than what it saves.
set(CLADE_COMMON_HEADERS <algorithm> <functional> <map> <memory> <optional> <span> <string> <variant> <vector>
  <fmt/format.h>)
function(clade_precompile target)
  if(CLADE_PCH)
    target_precompile_headers(${target} PRIVATE ${CLADE_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()
