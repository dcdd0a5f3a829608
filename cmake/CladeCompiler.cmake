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
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CLADE_CCACHE})
endif()

add_library(clade_options INTERFACE)
target_compile_options(clade_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -Wno-missing-field-initializers  # designated initialisers name what differs from the defaults
  $<$<BOOL:${CLADE_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside its own headers at -O2 (bugs 105329, 105593, 105651 and others); clang checks the same.
  target_compile_options(clade_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds
    -Wno-maybe-uninitialized -Wno-uninitialized)
endif()

if(CLADE_NATIVE)
  target_compile_options(clade_options INTERFACE -march=native)
endif()

if(CLADE_SANITIZE)
  target_compile_options(clade_options INTERFACE -fsanitize=${CLADE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(clade_options INTERFACE -fsanitize=${CLADE_SANITIZE})
endif()
if(CLADE_COVERAGE)
  target_compile_options(clade_options INTERFACE --coverage)
  target_link_options(clade_options INTERFACE --coverage)
endif()
