# A big-endian processor.
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(FARDEL_TRIPLET s390x-linux-gnu)
set(FARDEL_LIBRARY_TRIPLET s390x-linux-gnu)
set(FARDEL_DEBIAN_ARCHITECTURE s390x)
set(FARDEL_QEMU qemu-s390x-static)
include("${CMAKE_CURRENT_LIST_DIR}/debian-foreign.cmake")
