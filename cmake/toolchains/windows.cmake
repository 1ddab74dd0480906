# 64-bit Windows: mingw-w64's compiler with threads of POSIX, the libraries that setup/windows-libraries built, and Wine
# to run what is built.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_ASM_COMPILER "${CMAKE_C_COMPILER}")
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

set(CMAKE_CXX_FLAGS_INIT "-Wa,-mbig-obj")  # an object has more sections than the usual form can count
find_program(FARDEL_CLANG NAMES clang-14 clang)
mark_as_advanced(FARDEL_CLANG)
if(FARDEL_CLANG)
    string(APPEND CMAKE_CXX_FLAGS_INIT " -B${CMAKE_CURRENT_LIST_DIR}/llvm-assembler/")
endif()

# GNU's needs as much time for an archive as for assembling what is in it.
find_program(FARDEL_LLVM_AR NAMES llvm-ar-14 llvm-ar)
find_program(FARDEL_LLVM_RANLIB NAMES llvm-ranlib-14 llvm-ranlib)
mark_as_advanced(FARDEL_LLVM_AR FARDEL_LLVM_RANLIB)
if(FARDEL_LLVM_AR AND FARDEL_LLVM_RANLIB)
    set(CMAKE_AR "${FARDEL_LLVM_AR}")
    set(CMAKE_RANLIB "${FARDEL_LLVM_RANLIB}")
endif()

# The libraries of the compiler are linked in, so that no DLL of it has to be beside the program.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static")

find_program(FARDEL_LLD ld.lld)
mark_as_advanced(FARDEL_LLD)
if(FARDEL_LLD)
    set(CMAKE_C_LINKER_LAUNCHER "${CMAKE_CURRENT_LIST_DIR}/link-with-lld")
    set(CMAKE_CXX_LINKER_LAUNCHER "${CMAKE_C_LINKER_LAUNCHER}")
endif()

set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/run-in-wine")

set(foreign "${CMAKE_CURRENT_LIST_DIR}/../../build/windows-libraries")
cmake_path(NORMAL_PATH foreign)
set(CMAKE_FIND_ROOT_PATH "${foreign}" /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${foreign}/lib/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")
