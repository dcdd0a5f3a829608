# `clade_program_build`: what `clade --version` says of the commit and the processor, compiled into the tool and the
# Python module. It alone is compiled again when the commit changes.

# As Git describes it where the sources are a checkout of their own, or as a source archive states it.
function(clade_find_commit variable)
  set(commit unknown)
  if(EXISTS ${PROJECT_SOURCE_DIR}/COMMIT)
    file(STRINGS ${PROJECT_SOURCE_DIR}/COMMIT commit LIMIT_COUNT 1)
  elseif(EXISTS ${PROJECT_SOURCE_DIR}/.git)
    execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=10
      OUTPUT_VARIABLE told OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0)
      set(commit ${told})
    endif()
  endif()
  set(${variable} ${commit} PARENT_SCOPE)
endfunction()

clade_find_commit(CLADE_COMMIT)
set(CLADE_PROCESSOR portable)
if(CLADE_NATIVE)
  set(CLADE_PROCESSOR native)
endif()
set(program_build ${PROJECT_BINARY_DIR}/program_build.cpp)
configure_file(${PROJECT_SOURCE_DIR}/cmake/program_build.cpp.in ${program_build} @ONLY)
add_library(clade_program_build OBJECT ${program_build})
target_link_libraries(clade_program_build PRIVATE clade_report clade_options)
