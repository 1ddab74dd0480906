# A processor of 32 bits. The kernel of x86-64 runs its programs; where it does not, configure with
# -DCMAKE_CROSSCOMPILING_EMULATOR=qemu-i386-static.
set(CMAKE_SYSTEM_PROCESSOR i686)
set(FARDEL_TRIPLET i686-linux-gnu)
set(FARDEL_LIBRARY_TRIPLET i386-linux-gnu)
set(FARDEL_DEBIAN_ARCHITECTURE i386)
set(FARDEL_LOADER lib/ld-linux.so.2)
include("${CMAKE_CURRENT_LIST_DIR}/debian-foreign.cmake")
