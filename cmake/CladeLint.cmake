# `format-check`: formatting of every source. `lint`: that, and clang-tidy on the library and the tool. Each file has a
# stamp, which depends on the headers that the file includes, so that a second run checks only what has changed.
# `make test` asks for the stamps of changed files alone (scripts/tidy_changed.py).

find_program(CLADE_CLANG_FORMAT clang-format-19)
find_program(CLADE_CLANG_TIDY clang-tidy-19)
if(NOT CLADE_CLANG_FORMAT)
  foreach(target IN ITEMS format-check lint)
    add_custom_target(${target} COMMAND ${CMAKE_COMMAND} -E echo "${target}: skipped, no clang-format-19")
  endforeach()
  return()
endif()

file(GLOB_RECURSE LINT_HEADERS CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/src/*.h ${PROJECT_SOURCE_DIR}/tests/*.h)
file(GLOB_RECURSE LINT_SOURCES CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*.cpp ${PROJECT_SOURCE_DIR}/tests/*.cpp)
file(GLOB_RECURSE TIDY_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
file(GLOB_RECURSE FORMAT_ONLY CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/bench/*.cpp ${PROJECT_SOURCE_DIR}/bench/*.h ${PROJECT_SOURCE_DIR}/fuzz/*.cpp ${PROJECT_SOURCE_DIR}/fuzz/*.h
  ${PROJECT_SOURCE_DIR}/examples/*.cpp ${PROJECT_SOURCE_DIR}/python/src/*.cpp ${PROJECT_SOURCE_DIR}/python/src/*.h)

set(stamp ${PROJECT_BINARY_DIR}/lint/format.stamp)
add_custom_command(OUTPUT ${stamp}
  COMMAND ${CLADE_CLANG_FORMAT} --dry-run --Werror ${LINT_HEADERS} ${LINT_SOURCES} ${FORMAT_ONLY}
  COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
  DEPENDS ${LINT_HEADERS} ${LINT_SOURCES} ${FORMAT_ONLY} ${PROJECT_SOURCE_DIR}/.clang-format
  COMMENT "Checking the formatting")
add_custom_target(format-check DEPENDS ${stamp})
if(NOT CLADE_CLANG_TIDY)
  add_custom_target(lint COMMAND ${CMAKE_COMMAND} -E echo "lint: skipped, no clang-tidy-19" DEPENDS ${stamp})
  return()
endif()
set(LINT_STAMPS ${stamp})

foreach(source IN LISTS TIDY_SOURCES)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
  set(stamp ${PROJECT_BINARY_DIR}/lint/${name}.stamp)
  get_filename_component(folder ${stamp} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/tidy.py ${PROJECT_BINARY_DIR} ${source} ${stamp}
    DEPENDS ${source} ${PROJECT_SOURCE_DIR}/.clang-tidy ${PROJECT_SOURCE_DIR}/scripts/tidy.py
    DEPFILE ${stamp}.d
    COMMENT "clang-tidy ${name}" VERBATIM)
  list(APPEND LINT_STAMPS ${stamp})
endforeach()

add_custom_target(lint DEPENDS ${LINT_STAMPS})
