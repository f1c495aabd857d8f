# The completions of each shell, which the installed programs write of themselves, by the names that they have there.
cmake_policy(VERSION 3.25)
foreach(program ${programs})
  set(name "${program_prefix}${program}")
  foreach(completion ${completions})
    string(REGEX MATCH "^([a-z]+)[|](.*)[|](.*)[|](.*)$" parts "${completion}")
    set(shell "${CMAKE_MATCH_1}")
    set(target "${dest}${CMAKE_INSTALL_PREFIX}/${CMAKE_MATCH_2}${CMAKE_MATCH_3}${name}${CMAKE_MATCH_4}")
    file(REMOVE "${target}")
    execute_process(COMMAND "${dest}${CMAKE_INSTALL_PREFIX}/${bin_folder}/${name}" --print-completion ${shell} OUTPUT_FILE "${target}"
      RESULT_VARIABLE status ERROR_QUIET)
    if(NOT status EQUAL 0) # built for another processor
      message(NOTICE "install: ${name} does not run here (${status}): no completions")
      file(REMOVE "${target}")
      return()
    endif()
    file(CHMOD "${target}" PERMISSIONS ${file_permissions})
  endforeach()
endforeach()
