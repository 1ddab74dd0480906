# One step of the consumer test; see CMakeLists.txt for the variables.
cmake_minimum_required(VERSION 3.25)

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# expect(<text> <program> [<argument>…]): the program succeeds and prints that line.
function(expect text)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE printed COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
    if(NOT printed STREQUAL "${text}\n")
        message(FATAL_ERROR "printed ${printed}instead of ${text}")
    endif()
endfunction()

# build_stranger(<prefix of Fardel>): configures and builds the stranger's project in SCRATCH/stranger and runs it.
function(build_stranger prefix)
    run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${SCRATCH}/stranger" -G "${GENERATOR}"
        "-DCMAKE_PREFIX_PATH=${prefix}"
        "-DCMAKE_C_COMPILER=${CC}"
        "-DCMAKE_C_FLAGS=${CXX_FLAGS}"
        "-DCMAKE_CXX_COMPILER=${CXX}"
        "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
        "-DCMAKE_EXE_LINKER_FLAGS=${LINKER_FLAGS}")
    run("${CMAKE_COMMAND}" --build "${SCRATCH}/stranger")
    expect("${hash}" "${SCRATCH}/stranger/stranger")
    expect("${VERSION}" "${SCRATCH}/stranger/stranger_c")
    expect("hello" "${SCRATCH}/stranger/stranger_mount" "${hello}/hello.fardel")
    execute_process(COMMAND "${SCRATCH}/stranger/stranger_mount" "${hello}/hello.zip" OUTPUT_VARIABLE printed)
    if(NOT printed MATCHES "^unsupported: .*link fardel::archives")
        message(FATAL_ERROR "an archive without a reader: printed ${printed}")
    endif()
endfunction()

# build_in_c(<module> <source> <program>): builds SCRATCH/program with what pkg-config says of the module.
function(build_in_c module source program)
    foreach(part IN ITEMS cflags libs)
        execute_process(COMMAND pkg-config --${part} ${module}
            OUTPUT_VARIABLE ${part} OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
        separate_arguments(${part} UNIX_COMMAND "${${part}}")
    endforeach()
    separate_arguments(compile_flags UNIX_COMMAND "${CXX_FLAGS}")
    separate_arguments(link_flags UNIX_COMMAND "${CXX_FLAGS} ${LINKER_FLAGS}")
    run("${CC}" -std=c11 -Wall -Wextra -pedantic-errors -Werror ${compile_flags}
        -c "${SOURCE}/${source}" -o "${SCRATCH}/${program}.o" ${cflags})
    run("${CC}" ${link_flags} "${SCRATCH}/${program}.o" -o "${SCRATCH}/${program}" ${libs})
endfunction()

# Lists the shared libraries that a program loads; each must be one that a game may need.
function(verify_closure program)
    execute_process(COMMAND ldd "${program}" OUTPUT_VARIABLE printed COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" lines "${printed}")
    set(allowed linux-vdso libc libm libgcc_s libstdc++ libfardel libzstd liblz4 libsodium libutf8proc libblake3)
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^[ \t]*([^ ]*/)?([^ /]+) .*" "\\2" library "${line}")
        message(STATUS "loads ${library}")
        string(REGEX REPLACE "\\.so.*" "" library "${library}")
        if(NOT library IN_LIST allowed AND NOT library MATCHES "^ld-linux")
            message(FATAL_ERROR "${program} loads ${library}")
        endif()
    endforeach()
endfunction()

# Installed headers include only the standard library and one another, and a program may include all of them.
function(verify_headers prefix)
    file(GLOB_RECURSE headers RELATIVE "${prefix}/include" "${prefix}/include/fardel/*.h")
    list(LENGTH headers count)
    if(count EQUAL 0 OR count GREATER 44)  # 36 for C++ and 8 for C
        message(FATAL_ERROR "${count} headers are installed")
    endif()
    list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE lines)
    list(JOIN lines "" text)
    file(WRITE "${SCRATCH}/all_headers.cpp" "${text}")
    separate_arguments(cxx_flags UNIX_COMMAND "${CXX_FLAGS}")
    run("${CXX}" -std=c++20 -Wall -Wextra -Werror ${cxx_flags} "-I${prefix}/include"
        -c "${SCRATCH}/all_headers.cpp" -o "${SCRATCH}/all_headers.o")
endfunction()

set(hash 707bb2400743b64737d0db59a8262902f160d086b6c3e0109fc49e1ee86d7b21)  # what b3sum prints for the word "fardel"
set(hello "${PREFIX}/hello")  # hello.txt, packed in two ways

if(STEP STREQUAL "install")
    # README.md's commands. They and ./demo name one preset, which exists; and the one that installs does so, with the
    # build that is tested where it expects that of the preset.
    file(READ "${FARDEL_SOURCE}/README.md" readme)
    if(NOT readme MATCHES "```sh[^\n]*\n(setup/install-dependencies program\ncmake [^`]*)\n```")
        message(FATAL_ERROR "README.md does not show how Fardel is installed")
    endif()
    string(REPLACE "\n" ";" commands "${CMAKE_MATCH_1}")
    list(GET commands 1 configure)
    string(REGEX REPLACE "^cmake --preset " "" preset "${configure}")
    set(build "cmake --build --preset ${preset}")
    set(install "cmake --install build/${preset}")
    set(expected "setup/install-dependencies program" "cmake --preset ${preset}" "${build}" "${install}" ldconfig)
    if(NOT commands STREQUAL expected)
        message(FATAL_ERROR "README.md installs with\n${commands}\ninstead of\n${expected}")
    endif()
    file(READ "${FARDEL_SOURCE}/demo" demo)
    if(NOT demo MATCHES "\n${configure}[ \n].*\n${build}\n.*")
        message(FATAL_ERROR "./demo does not build as README.md says: ${configure}, ${build}")
    endif()
    file(READ "${FARDEL_SOURCE}/CMakePresets.json" presets)
    string(JSON folder GET "${presets}" configurePresets 0 binaryDir)  # the base of all
    if(NOT folder STREQUAL "\${sourceDir}/build/\${presetName}")
        message(FATAL_ERROR "presets build in ${folder}, not in build/")
    endif()
    execute_process(COMMAND "${CMAKE_COMMAND}" --list-presets=all
        WORKING_DIRECTORY "${FARDEL_SOURCE}" OUTPUT_VARIABLE presets COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "\"${preset}\"" found "${presets}")
    list(LENGTH found count)
    if(NOT count EQUAL 2)  # for configuring and for building
        message(FATAL_ERROR "no preset ${preset} for configuring and building:\n${presets}")
    endif()

    file(REMOVE_RECURSE "${SCRATCH}" "${ROOT}")
    file(MAKE_DIRECTORY "${SCRATCH}/build")
    file(CREATE_LINK "${FARDEL_BUILD}" "${SCRATCH}/build/${preset}" SYMBOLIC)
    set(ENV{DESTDIR} "${ROOT}")
    separate_arguments(install UNIX_COMMAND "${install}")
    list(POP_FRONT install)
    execute_process(COMMAND "${CMAKE_COMMAND}" ${install}
        WORKING_DIRECTORY "${SCRATCH}" COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
    unset(ENV{DESTDIR})
    file(GLOB_RECURSE notices "${PREFIX}/*/NOTICES.md")
    if(NOT notices)
        message(FATAL_ERROR "the notices of the libraries of others are not installed")
    endif()

    file(WRITE "${hello}/files/hello.txt" "hello\n")
    run("${PREFIX}/bin/fardel" pack "${hello}/files" -o "${hello}/hello.fardel" --name hello --version 1)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E tar cf "${hello}/hello.zip" --format=zip hello.txt
        WORKING_DIRECTORY "${hello}/files" COMMAND_ERROR_IS_FATAL ANY)

elseif(STEP STREQUAL "documents")
    # Links of pages lead to installed files, and pages that man pages name are installed.
    set(documents "${PREFIX}/share/doc/fardel")
    file(GLOB_RECURSE pages "${documents}/*.md")
    list(LENGTH pages count)
    if(count LESS 50)
        message(FATAL_ERROR "only ${count} pages are installed")
    endif()
    set(lost "")
    foreach(page IN LISTS pages)
        file(READ "${page}" text)
        string(REGEX REPLACE "[][;]" "_" text "${text}")  # they would end elements of the list of links; "::" is code
        string(REGEX MATCHALL "_\\([^ ()#]+" links "${text}")
        cmake_path(GET page PARENT_PATH folder)
        foreach(link IN LISTS links)
            string(SUBSTRING "${link}" 2 -1 link)
            if(NOT link MATCHES "^https?:|::" AND NOT EXISTS "${folder}/${link}")
                string(APPEND lost "\n${page}: ${link}")
            endif()
        endforeach()
    endforeach()
    file(GLOB manuals "${PREFIX}/share/man/man1/*.1")
    foreach(page IN LISTS manuals)
        file(READ "${page}" text)
        string(REPLACE "\\-" "-" text "${text}")
        string(REGEX MATCHALL "docs/[A-Za-z0-9_/-]+\\.[a-z]+" links "${text}")
        foreach(link IN LISTS links)
            if(NOT EXISTS "${documents}/${link}")
                string(APPEND lost "\n${page}: ${link}")
            endif()
        endforeach()
        string(REGEX MATCHALL "(^|\n)\\.BR fardel-?[a-z]* \\(1\\)" links "${text}")
        foreach(link IN LISTS links)
            string(REGEX REPLACE "^\n?.BR (fardel-?[a-z]*) .*" "\\1" link "${link}")
            if(NOT EXISTS "${PREFIX}/share/man/man1/${link}.1")
                string(APPEND lost "\n${page}: ${link}(1)")
            endif()
        endforeach()
    endforeach()
    foreach(script IN ITEMS bash-completion/completions/fardel zsh/site-functions/_fardel
            fish/vendor_completions.d/fardel.fish)
        if(NOT EXISTS "${PREFIX}/share/${script}")
            string(APPEND lost "\nfardel-completion(1): ${script}")
        endif()
    endforeach()
    if(lost)
        message(FATAL_ERROR "what is named and not installed:${lost}")
    endif()

elseif(STEP STREQUAL "find_package")
    file(REMOVE_RECURSE "${SCRATCH}")
    build_stranger("${PREFIX}")
    verify_headers("${PREFIX}")
    expect(6 "${SCRATCH}/stranger/stranger_archive" "${hello}/hello.zip")
    expect("${VERSION}" "${SCRATCH}/stranger/stranger_fetch" "${SCRATCH}/store")
    expect(hello "${SCRATCH}/stranger/stranger_rwops" "${hello}/hello.fardel")
    expect("${VERSION}" "${SCRATCH}/stranger/stranger_tools" "${SCRATCH}/made.fardel")

elseif(STEP STREQUAL "installed_without_tools")
    file(REMOVE_RECURSE "${SCRATCH}")
    build_stranger("${PREFIX}")
    verify_closure("${SCRATCH}/stranger/stranger_mount")
    verify_closure("${SCRATCH}/stranger/stranger_c")
    set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig")
    run(pkg-config --print-errors --exists fardel fardel-c)
    execute_process(COMMAND pkg-config --exists fardel-archives RESULT_VARIABLE result)
    if(result EQUAL 0)
        message(FATAL_ERROR "fardel-archives was found without PhysicsFS")
    endif()

elseif(STEP STREQUAL "runtime_without_tools")
    file(REMOVE_RECURSE "${SCRATCH}")
    run("${CMAKE_COMMAND}" -S "${FARDEL_SOURCE}" -B "${SCRATCH}/build" -G "${GENERATOR}"
        -DFARDEL_PARTS=runtime
        "-DCMAKE_INSTALL_LIBDIR=${LIBDIR}"
        -DCMAKE_BUILD_TYPE=Debug
        -DCMAKE_UNITY_BUILD=ON
        -DCMAKE_UNITY_BUILD_BATCH_SIZE=0
        "-DCMAKE_C_COMPILER=${CC}"
        "-DCMAKE_C_FLAGS_DEBUG=-O0"
        "-DCMAKE_CXX_COMPILER=${CXX}"
        "-DCMAKE_CXX_FLAGS_DEBUG=-O0")
    run("${CMAKE_COMMAND}" --build "${SCRATCH}/build")
    run("${CMAKE_COMMAND}" --install "${SCRATCH}/build" --prefix "${SCRATCH}/prefix")
    build_stranger("${SCRATCH}/prefix")
    verify_closure("${SCRATCH}/stranger/stranger_mount")
    verify_closure("${SCRATCH}/prefix/${LIBDIR}/libfardel.so")

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
    expect("${hash}" "${SCRATCH}/stranger")

    # The packer loads libcurl when a cache is on a server, and decodes pictures in a program: nothing links either.
    execute_process(COMMAND pkg-config --cflags --libs --static fardel-packer
        OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND pkg-config --print-requires --print-requires-private fardel-packer fardel-store
        OUTPUT_VARIABLE modules COMMAND_ERROR_IS_FATAL ANY)
    if("${flags} ${modules}" MATCHES "curl|Magick")
        message(FATAL_ERROR "fardel-packer needs ${CMAKE_MATCH_0}: ${flags} ${modules}")
    endif()
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run("${CXX}" -std=c++20 ${cxx_flags} "${FARDEL_SOURCE}/samples/build_project.cpp" -o "${SCRATCH}/packer" ${flags})
    file(WRITE "${SCRATCH}/project/fardel.toml" "name = \"game\"\nversion = \"1.0\"\nsources = [\"assets\"]\n")
    file(WRITE "${SCRATCH}/project/assets/hello.txt" "hello\n")
    run("${SCRATCH}/packer" "${SCRATCH}/project/fardel.toml")
    run("${PREFIX}/bin/fardel" verify "${SCRATCH}/project/game.fardel")

    set(ENV{LD_LIBRARY_PATH} "${PREFIX}/${LIBDIR}:$ENV{LD_LIBRARY_PATH}")
    build_in_c(fardel-c version.c stranger_c)
    expect("${VERSION}" "${SCRATCH}/stranger_c")
    execute_process(COMMAND pkg-config --exists fardel-c-delivery RESULT_VARIABLE result)
    if(result EQUAL 0)
        build_in_c(fardel-c-delivery fetch.c stranger_fetch)
        expect("${VERSION}" "${SCRATCH}/stranger_fetch" "${SCRATCH}/store")
    elseif(EXISTS "${PREFIX}/include/fardel/delivery/fardel_fetch.h")
        message(FATAL_ERROR "fardel_fetch.h is installed, and pkg-config does not find fardel-c-delivery")
    endif()
    build_in_c(fardel-c-cache cache.c stranger_cache)
    expect("${VERSION}" "${SCRATCH}/stranger_cache" "${SCRATCH}/derived")
    build_in_c(fardel-sdl2 rwops.c stranger_rwops)
    expect(hello "${SCRATCH}/stranger_rwops" "${hello}/hello.fardel")
    build_in_c(fardel-c-tools tools.c stranger_tools)
    expect("${VERSION}" "${SCRATCH}/stranger_tools" "${SCRATCH}/made.fardel")

else()
    message(FATAL_ERROR "no step ${STEP}")
endif()
