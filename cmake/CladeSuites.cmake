# Runs at build time: asks a test program for its suites and writes a file that makes each a test of ctest. A process for
# every single test would spend more time on starting than on most tests. Expects `program`, `prefix` and `output`.
execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" lines "${listed}")
set(text "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.( |$)")  # the tests of a suite are indented below it
    set(suite ${CMAKE_MATCH_1})
    string(APPEND text "add_test([=[${prefix}.${suite}]=] [=[${program}]=] [=[--gtest_filter=${suite}.*]=])\n")
    # Skipped tests are listed at the end, unless a test has failed: those come last.
    string(APPEND text "set_tests_properties([=[${prefix}.${suite}]=] PROPERTIES "
      "SKIP_REGULAR_EXPRESSION [=[\\[  SKIPPED \\] [^ ]+\n*$]=])\n")
  endif()
endforeach()
if(NOT text)
  message(FATAL_ERROR "${program}: no tests; expected some from --gtest_list_tests")
endif()
file(WRITE ${output} "${text}")
