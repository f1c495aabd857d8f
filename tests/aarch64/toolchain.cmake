# 64-bit ARM from another processor: Debian's cross compiler, the libraries of the folder that sysroot.sh made inside the build folder,
# and qemu-user to run tests.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# CMake's trial builds read this file in folders of their own.
if(NOT HEADWATER_SYSROOT)
  set(HEADWATER_SYSROOT ${CMAKE_BINARY_DIR}/sysroot)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEADWATER_SYSROOT)
set(CMAKE_SYSROOT ${HEADWATER_SYSROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/emulate.sh ${HEADWATER_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_DISABLE_FIND_PACKAGE_MPI ON) # its compiler wrapper would be this machine's

# The least that every such processor has: fused multiply-add and NEON among it.
set(HEADWATER_ARCH "armv8-a" CACHE STRING "-march of everything but the kernels, which carry every vector width")

# qemu has an entry for each page of reserved addresses, and makes and clears it with each arena.
set(HEADWATER_ARENA_BYTES 268435456 CACHE STRING "the most addresses that an arena reserves (tensor/arena.hpp)")
