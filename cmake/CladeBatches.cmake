# Batches of sources that are compiled as one file each: most of the time of a build goes into reading the same headers
# for every source again. For development, -DCLADE_UNITY=OFF compiles every source by itself, so that little is
# compiled again after an edit; -DCLADE_SEPARATE=REGEX does so for the sources whose paths match.

# Replaces in the list `variable` the sources that found company by files that include them. What the sources include
# stands before them: headers then never see names that a source keeps to itself. A further argument is the largest
# number of lines of a batch.
function(clade_batch variable)
  if(NOT CLADE_UNITY)
    return()
  endif()
  set(sources ${${variable}})
  set(separate)
  if(CLADE_SEPARATE)
    set(separate ${sources})
    list(FILTER separate INCLUDE REGEX "${CLADE_SEPARATE}")
    list(FILTER sources EXCLUDE REGEX "${CLADE_SEPARATE}")
  endif()
  set(lines 2500)
  if(ARGC GREATER 1)
    set(lines ${ARGV1})
  endif()
  execute_process(COMMAND awk -f ${PROJECT_SOURCE_DIR}/cmake/batches.awk -v lines=${lines} ${sources}
    OUTPUT_VARIABLE batches OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" batches "${batches}")
  set(names)
  foreach(line IN LISTS batches)
    string(REGEX MATCH "^([^ ]+) (.+)$" _ "${line}")
    list(APPEND names ${CMAKE_MATCH_1})
    list(APPEND members_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
  endforeach()
  list(REMOVE_DUPLICATES names)
  foreach(name IN LISTS names)
    set(headers)
    set(bodies)
    foreach(source IN LISTS members_${name})
      file(STRINGS ${source} includes REGEX "^#include")
      list(APPEND headers ${includes})
      # Relative, so that the same sources elsewhere give the same text: a compiler cache then knows it.
      file(RELATIVE_PATH path ${CMAKE_CURRENT_BINARY_DIR}/batches ${source})
      list(APPEND bodies "#include \"${path}\"")
      list(REMOVE_ITEM sources ${source})
    endforeach()
    list(REMOVE_DUPLICATES headers)
    list(JOIN headers "\n" headers)
    list(JOIN bodies "\n" bodies)
    set(batch ${CMAKE_CURRENT_BINARY_DIR}/batches/${name}.cpp)
    file(CONFIGURE OUTPUT ${batch} CONTENT "${headers}\n\n${bodies}\n" @ONLY)
    # g++ takes an included source for a header, whose classes must not use unnamed namespaces.
    set_source_files_properties(${batch} PROPERTIES
      COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    list(APPEND batch_files ${batch})
  endforeach()
  list(PREPEND sources ${batch_files})  # what takes longest begins first
  set(${variable} ${sources} ${separate} PARENT_SCOPE)
endfunction()
