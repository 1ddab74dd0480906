# One step of the consumer test; see CMakeLists.txt for the variables.

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# What the program must print: the hash is what b3sum prints for the word "fardel".
function(run_stranger program)
    execute_process(COMMAND "${program}" OUTPUT_VARIABLE printed COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
    set(expected "707bb2400743b64737d0db59a8262902f160d086b6c3e0109fc49e1ee86d7b21\n")
    if(NOT printed STREQUAL expected)
        message(FATAL_ERROR "printed ${printed}instead of ${expected}")
    endif()
endfunction()

function(run_version program)
    execute_process(COMMAND "${program}" OUTPUT_VARIABLE printed COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
    if(NOT printed STREQUAL "${VERSION}\n")
        message(FATAL_ERROR "printed ${printed}instead of ${VERSION}")
    endif()
endfunction()

if(STEP STREQUAL "install")
    file(REMOVE_RECURSE "${PREFIX}")
    run("${CMAKE_COMMAND}" --install "${FARDEL_BUILD}" --prefix "${PREFIX}")

elseif(STEP STREQUAL "find_package")
    file(REMOVE_RECURSE "${SCRATCH}")
    run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${SCRATCH}" -G "${GENERATOR}"
        "-DCMAKE_PREFIX_PATH=${PREFIX}"
        "-DCMAKE_C_COMPILER=${CC}"
        "-DCMAKE_C_FLAGS=${CXX_FLAGS}"
        "-DCMAKE_CXX_COMPILER=${CXX}"
        "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
        "-DCMAKE_EXE_LINKER_FLAGS=${LINKER_FLAGS}")
    run("${CMAKE_COMMAND}" --build "${SCRATCH}")
    run_stranger("${SCRATCH}/stranger")
    run_version("${SCRATCH}/stranger_c")

elseif(STEP STREQUAL "pkg_config")
    file(REMOVE_RECURSE "${SCRATCH}")
    file(MAKE_DIRECTORY "${SCRATCH}")
    set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig:$ENV{PKG_CONFIG_PATH}")
    run(pkg-config --exact-version=${VERSION} fardel)
    execute_process(COMMAND pkg-config --cflags --libs fardel
        OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    separate_arguments(cxx_flags UNIX_COMMAND "${CXX_FLAGS} ${LINKER_FLAGS}")
    run("${CXX}" -std=c++20 ${cxx_flags} "${SOURCE}/main.cpp" -o "${SCRATCH}/stranger" ${flags})
    run_stranger("${SCRATCH}/stranger")

    foreach(part IN ITEMS cflags libs)
        execute_process(COMMAND pkg-config --${part} fardel-c
            OUTPUT_VARIABLE ${part} OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
        separate_arguments(${part} UNIX_COMMAND "${${part}}")
    endforeach()
    string(REGEX REPLACE "-fuse-ld=[^ ;]*" "" compile_flags "${cxx_flags}")
    run("${CC}" -std=c11 -Wall -Wextra -pedantic-errors -Werror ${compile_flags} -c "${SOURCE}/version.c" -o "${SCRATCH}/version.o" ${cflags})
    set(linker "${CC}")
    if(CXX_FLAGS MATCHES "-fsanitize")
        set(linker "${CXX}")  # the library asks for the sanitizers' C++ part
    endif()
    run("${linker}" ${cxx_flags} "${SCRATCH}/version.o" -o "${SCRATCH}/stranger_c" ${libs})
    set(ENV{LD_LIBRARY_PATH} "${PREFIX}/${LIBDIR}:$ENV{LD_LIBRARY_PATH}")
    run_version("${SCRATCH}/stranger_c")

else()
    message(FATAL_ERROR "no step ${STEP}")
endif()
