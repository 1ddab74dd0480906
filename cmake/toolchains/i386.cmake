# A processor of 32 bits.
set(CMAKE_SYSTEM_PROCESSOR i686)
set(FARDEL_TRIPLET i686-linux-gnu)
set(FARDEL_LIBRARY_TRIPLET i386-linux-gnu)
set(FARDEL_DEBIAN_ARCHITECTURE i386)
set(FARDEL_QEMU qemu-i386-static)
include("${CMAKE_CURRENT_LIST_DIR}/debian-foreign.cmake")
