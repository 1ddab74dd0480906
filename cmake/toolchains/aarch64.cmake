# 64-bit ARM.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(FARDEL_TRIPLET aarch64-linux-gnu)
set(FARDEL_LIBRARY_TRIPLET aarch64-linux-gnu)
set(FARDEL_DEBIAN_ARCHITECTURE arm64)
set(FARDEL_QEMU qemu-aarch64-static)
include("${CMAKE_CURRENT_LIST_DIR}/debian-foreign.cmake")
