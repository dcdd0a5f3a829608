# Runs at installation: the tool prints its manual pages and its completion for bash. Expects `tool`, `folder` (for what
# it prints), `man_folder` and `data_folder` (where to install, below the prefix).
function(clade_page file)
  execute_process(COMMAND ${tool} ${ARGN} OUTPUT_FILE ${folder}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${tool} help --json OUTPUT_VARIABLE told COMMAND_ERROR_IS_FATAL ANY)
string(JSON count LENGTH "${told}" commands)
math(EXPR last "${count} - 1")

clade_page(clade.1 man)
set(pages ${folder}/clade.1)
foreach(k RANGE ${last})
  string(JSON command GET "${told}" commands ${k})
  clade_page(clade-${command}.1 man ${command})
  list(APPEND pages ${folder}/clade-${command}.1)
endforeach()
file(INSTALL ${pages} DESTINATION ${CMAKE_INSTALL_PREFIX}/${man_folder}/man1)

clade_page(clade completion bash)
file(INSTALL ${folder}/clade DESTINATION ${CMAKE_INSTALL_PREFIX}/${data_folder}/bash-completion/completions)
