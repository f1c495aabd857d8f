# Manual pages, pages of Markdown for where they are then, and the names by which scripts call the programs.
cmake_policy(VERSION 3.25)
list(JOIN programs "|" alternatives)
macro(write_by_awk path) # PATH ARGUMENT...
  set(target "${dest}${CMAKE_INSTALL_PREFIX}/${path}")
  file(REMOVE "${target}")
  execute_process(COMMAND awk -v "programs=${alternatives}" -v "prefix=${program_prefix}" -f ${source_folder}/tools/install/names.awk ${ARGN}
    OUTPUT_FILE "${target}" COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD "${target}" PERMISSIONS ${file_permissions})
endmacro()
foreach(program ${programs})
  write_by_awk("${man_folder}/man1/${program_prefix}${program}.1" -v version=${version} -v manual=1 -f ${source_folder}/tools/install/man.awk
    ${source_folder}/tools/${program}.md)
  cmake_path(RELATIVE_PATH bin_folder BASE_DIRECTORY "${scripts_bin}" OUTPUT_VARIABLE way)
  set(link "${dest}${CMAKE_INSTALL_PREFIX}/${scripts_bin}/${program}")
  file(REMOVE "${link}")
  file(CREATE_LINK "${way}/${program_prefix}${program}" "${link}" SYMBOLIC)
endforeach()
write_by_awk("${man_folder}/man7/${program_prefix}headwater.7" -v version=${version} -v manual=7 -f ${source_folder}/tools/install/man.awk
  ${source_folder}/tools/install/headwater.7.md)
foreach(page ${pages})
  string(REPLACE "\t" ";" page "${page}")
  list(GET page 0 file)
  list(GET page 1 path)
  write_by_awk("${path}" -v "page=${file}" -f ${source_folder}/tools/install/page.awk ${map_file} ${source_folder}/${file})
endforeach()
