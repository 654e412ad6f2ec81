# Compiles for the packages that scripts/releasing/sysroot.py unpacked: CMAKE_SYSROOT and
# TPUWH_TRIPLET are given on the command line.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TPUWH_TRIPLET)
set(CMAKE_C_COMPILER ${TPUWH_TRIPLET}-gcc-12)
set(CMAKE_CXX_COMPILER ${TPUWH_TRIPLET}-g++-12)
string(REGEX REPLACE "-.*" "" machine ${TPUWH_TRIPLET})
if(NOT machine STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${machine})
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# A cross compiler of Debian has a C library of its own, which gets no security updates: the sysroot's goes first.
foreach(folder IN ITEMS gcc/${TPUWH_TRIPLET}/12 ${TPUWH_TRIPLET})
  string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -B${CMAKE_SYSROOT}/usr/lib/${folder}/ -L${CMAKE_SYSROOT}/usr/lib/${folder}")
endforeach()
