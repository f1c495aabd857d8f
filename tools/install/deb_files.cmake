# What Debian wants of the installed files before CPack makes a package of them. Their times are that of SOURCE_DATE_EPOCH.
cmake_policy(VERSION 3.25)
set(usr "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr")
set(doc "${usr}/share/doc/headwater")
set(epoch $ENV{SOURCE_DATE_EPOCH})

file(READ "${doc}/LICENSE" license)
string(REGEX MATCH "Copyright [(]c[)] ([^\n]*)\n+(.*)" found "${license}")
set(copyright "${CMAKE_MATCH_1}")
string(STRIP "${CMAKE_MATCH_2}" license)
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
file(WRITE "${doc}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Headwater

Files: *
Copyright: ${copyright}
License: Expat
 ${license}
")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH
file(WRITE "${doc}/changelog.Debian" "headwater (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * CHANGELOG.md beside this file says what is in this version.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
# The record is for make uninstall: here it is dpkg's.
file(REMOVE "${doc}/LICENSE" "${usr}/share/headwater/installed")

file(GLOB programs "${usr}/bin/*")
file(GLOB pages "${usr}/share/man/man*/*")
execute_process(COMMAND strip --remove-section=.comment --remove-section=.note ${programs} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND gzip -9n ${pages} "${doc}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD "${doc}/copyright" "${doc}/changelog.Debian.gz" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
execute_process(COMMAND find "${CPACK_TEMPORARY_INSTALL_DIRECTORY}" -exec touch --no-dereference "--date=@${epoch}" {} +
  COMMAND_ERROR_IS_FATAL ANY)
