# What CPack is told of the package for Debian and Ubuntu: deb.sh says the version and the build.
set(CPACK_PACKAGE_NAME headwater)
set(CPACK_CMAKE_GENERATOR Ninja)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON) # no file is to know the folder in which the package is made
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/deb_files.cmake)
set(CPACK_PACKAGE_FILE_NAME headwater) # of the folder in which it is made
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Headwater maintainers <maintainers@headwater.invalid>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "mawk | gawk | original-awk")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "curl, xz-utils")
# Other programs of these names. Those of ImageMagick and its like are alternatives, which dpkg would replace without a word.
if("$ENV{PROGRAM_PREFIX}" STREQUAL "")
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS
    "translate, graphicsmagick-imagemagick-compat, imagemagick-6.q16, imagemagick-6.q16hdri, imagemagick-7.q16, imagemagick-7.q16hdri")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tool chain for Transformers made of small Unix programs")
set(CPACK_PACKAGE_DESCRIPTION "Text or images go in at one end of a pipe; a trained model, translations,
continuations, labels and tables of attention weights come out at the other.
It runs on ordinary CPUs and needs neither Python nor a network.
.
The programs tokenize, vectorize, train, translate, generate, classify,
evaluate, embed, inspect, convert and report; recipes of experiments, which
headwater runs; and scripts that prepare public data.")
