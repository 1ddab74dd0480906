# Fails if the shared library for games contains a function of hosting/, or needs a library besides these:
# cmake -DLIBRARY=… -DHOSTING=… -DNM=… -DREADELF=… -P client_library.cmake
cmake_minimum_required(VERSION 3.25)

set(may_need sodium zstd lz4 utf8proc blake3 stdc++ m gcc_s c dl pthread asan ubsan tsan)

execute_process(COMMAND "${READELF}" -d "${LIBRARY}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "Shared library: \\[[^]]+\\]" needed "${dynamic}")
if(NOT needed)
    message(FATAL_ERROR "${READELF} names no library that ${LIBRARY} needs")
endif()
foreach(line IN LISTS needed)
    string(REGEX REPLACE "Shared library: \\[(lib)?([^].]+).*" "\\2" name "${line}")
    if(NOT name IN_LIST may_need AND NOT name MATCHES "^(ld-linux|linux-vdso|clang_rt)")
        message(SEND_ERROR "${LIBRARY} needs ${name}: ${line}")
    endif()
endforeach()

# Functions with external linkage that one file defines ('T'); templates and inline functions are in both.
execute_process(COMMAND "${NM}" --defined-only --extern-only "${HOSTING}"
    OUTPUT_VARIABLE served ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T _ZN6fardel[^\n]+" served "${served}")
execute_process(COMMAND "${NM}" --defined-only "${LIBRARY}" OUTPUT_VARIABLE linked COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [Tt] _ZN6fardel[^\n]+" linked "${linked}")
list(TRANSFORM served REPLACE "^ . " "")
list(TRANSFORM linked REPLACE "^ . " "")
list(LENGTH served served_count)
list(LENGTH linked linked_count)
if(served_count LESS 100 OR linked_count LESS 100)
    message(FATAL_ERROR "${NM} lists ${served_count} functions of hosting and ${linked_count} of ${LIBRARY}")
endif()
foreach(function IN LISTS served)
    if(function IN_LIST linked)
        message(SEND_ERROR "${LIBRARY} contains ${function} of hosting")
    endif()
endforeach()
