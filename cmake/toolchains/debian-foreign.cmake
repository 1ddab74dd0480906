# A Linux system with another processor, on Debian: its cross compiler, the libraries that setup/foreign-libraries
# unpacked, and qemu-user to run what is built. A file beside this one sets, before it includes it:
#     FARDEL_TRIPLET             of the cross compiler, such as aarch64-linux-gnu
#     FARDEL_LIBRARY_TRIPLET     of the folder of libraries; another one on i386
#     FARDEL_DEBIAN_ARCHITECTURE the folder below build/foreign
#     FARDEL_QEMU                what runs programs of that processor, if the kernel does not
set(CMAKE_SYSTEM_NAME Linux)

set(CMAKE_C_COMPILER "${FARDEL_TRIPLET}-gcc")
set(CMAKE_CXX_COMPILER "${FARDEL_TRIPLET}-g++")
set(CMAKE_ASM_COMPILER "${CMAKE_C_COMPILER}")

# Programs are linked statically, so that they run without the libraries of their system.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
if(FARDEL_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${FARDEL_QEMU}")
endif()

set(foreign "${CMAKE_CURRENT_LIST_DIR}/../../build/foreign/${FARDEL_DEBIAN_ARCHITECTURE}")
cmake_path(NORMAL_PATH foreign)
set(CMAKE_FIND_ROOT_PATH "${foreign}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${foreign}")
set(ENV{PKG_CONFIG_LIBDIR} "${foreign}/usr/lib/${FARDEL_LIBRARY_TRIPLET}/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")
