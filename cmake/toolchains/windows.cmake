# 64-bit Windows: clang with the headers and libraries of mingw-w64's compiler with threads of POSIX, LLVM's linker, the
# libraries that setup/windows-libraries built, and Wine to run what is built. GNU's assembler and linker for Windows
# need minutes for what has many inline functions, because their time grows with the square of these.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

set(target x86_64-w64-mingw32)
set(CMAKE_C_COMPILER clang-14)
set(CMAKE_CXX_COMPILER clang++-14)
set(CMAKE_ASM_COMPILER clang-14)
foreach(language IN ITEMS C CXX ASM)
    set(CMAKE_${language}_COMPILER_TARGET ${target})
endforeach()
set(CMAKE_RC_COMPILER ${target}-windres)
set(CMAKE_OBJDUMP ${target}-objdump)
find_program(FARDEL_LLVM_AR NAMES llvm-ar-14 llvm-ar REQUIRED)
find_program(FARDEL_LLVM_RANLIB NAMES llvm-ranlib-14 llvm-ranlib REQUIRED)
mark_as_advanced(FARDEL_LLVM_AR FARDEL_LLVM_RANLIB)
set(CMAKE_AR "${FARDEL_LLVM_AR}")
set(CMAKE_RANLIB "${FARDEL_LLVM_RANLIB}")

# Debian has several of these compilers. Variables of threads are as it makes them, in memory that its library gives,
# and types are compared by its library alone, since LLVM's linker takes a second definition for a mistake.
file(GLOB compilers LIST_DIRECTORIES true "/usr/lib/gcc/${target}/*-posix")
list(GET compilers -1 gcc)
set(CMAKE_C_FLAGS_INIT "-femulated-tls")
string(CONCAT CMAKE_CXX_FLAGS_INIT "-femulated-tls -D__GXX_TYPEINFO_EQUALITY_INLINE=0 -nostdinc++ "
    "-isystem ${gcc}/include/c++ -isystem ${gcc}/include/c++/${target} -isystem ${gcc}/include/c++/backward")
# The libraries of the compiler are linked in, so that no DLL of it has to be beside the program.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-static -pthread -fuse-ld=lld -B${gcc} -L${gcc} -Wno-unused-command-line-argument")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${CMAKE_EXE_LINKER_FLAGS_INIT}")

set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/run-in-wine")

set(foreign "${CMAKE_CURRENT_LIST_DIR}/../../build/windows-libraries")
cmake_path(NORMAL_PATH foreign)
set(CMAKE_FIND_ROOT_PATH "${foreign}" /usr/${target})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${foreign}/lib/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")
