# A Linux system with another processor, on Debian: clang with the headers, libraries and linker of its cross compiler,
# what setup/foreign-libraries unpacked, and qemu-user to run what is built. Unoptimised, clang takes half the time of
# g++. A file beside this one sets, before it includes it:
#     FARDEL_TRIPLET             of the cross compiler, such as aarch64-linux-gnu
#     FARDEL_LIBRARY_TRIPLET     of the folder of libraries; another one on i386
#     FARDEL_DEBIAN_ARCHITECTURE the folder below build/foreign
#     FARDEL_QEMU                what runs programs of that processor, if the kernel does not
#     FARDEL_LOADER              if programs use shared libraries: their loader there, such as lib/ld-linux.so.2
set(CMAKE_SYSTEM_NAME Linux)

set(CMAKE_C_COMPILER clang-14)
set(CMAKE_CXX_COMPILER clang++-14)
set(CMAKE_ASM_COMPILER clang-14)
foreach(language IN ITEMS C CXX ASM)
    set(CMAKE_${language}_COMPILER_TARGET "${FARDEL_TRIPLET}")
endforeach()
if(FARDEL_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${FARDEL_QEMU}")
endif()

set(foreign "${CMAKE_CURRENT_LIST_DIR}/../../build/foreign/${FARDEL_DEBIAN_ARCHITECTURE}")
cmake_path(NORMAL_PATH foreign)

# Programs are linked statically, so that they run without the libraries of their system; or they find these, and the
# system's own, in that folder.
if(FARDEL_LOADER)
    string(CONCAT CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--dynamic-linker=${foreign}/${FARDEL_LOADER},--disable-new-dtags,"
        "-rpath,${foreign}/usr/lib/${FARDEL_LIBRARY_TRIPLET}:${foreign}/lib/${FARDEL_LIBRARY_TRIPLET}")
else()
    set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
endif()

set(CMAKE_FIND_ROOT_PATH "${foreign}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${foreign}")
set(ENV{PKG_CONFIG_LIBDIR} "${foreign}/usr/lib/${FARDEL_LIBRARY_TRIPLET}/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")
