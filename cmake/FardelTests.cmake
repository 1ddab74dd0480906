# How tests are declared.

# What is not built, a line "tests/folder/x_test.cpp: reason" for each file; ./check counts their cases.
set(FARDEL_LEFT_OUT_TESTS "${PROJECT_BINARY_DIR}/left_out_tests.txt")
file(WRITE "${FARDEL_LEFT_OUT_TESTS}" "")

# fardel_leave_out_tests(<folder> <reason> <[room/]x_test.cpp>…): says that these are not built, and why. `*` stands for
# all files of the folder.
function(fardel_leave_out_tests folder reason)
    list(JOIN ARGN ", " names)
    message(STATUS "Not built, because ${reason}: in tests/${folder}, ${names}")
    set(files ${ARGN})
    if(files STREQUAL "*")
        file(GLOB_RECURSE files RELATIVE "${PROJECT_SOURCE_DIR}/tests/${folder}"
            "${PROJECT_SOURCE_DIR}/tests/${folder}/*_test.cpp")
    endif()
    foreach(file IN LISTS files)
        file(APPEND "${FARDEL_LEFT_OUT_TESTS}" "tests/${folder}/${file}: ${reason}\n")
    endforeach()
endfunction()

# Where tests are left out, beside WIN32: for fardel_leave_out_where.
function(fardel_set_place variable)
    set(${variable} OFF PARENT_SCOPE)
    if(${ARGN})
        set(${variable} ON PARENT_SCOPE)
    endif()
endfunction()
fardel_set_place(FARDEL_SANITIZED CMAKE_CXX_FLAGS MATCHES "-fsanitize")
fardel_set_place(FARDEL_THREADS_SANITIZED CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
fardel_set_place(FARDEL_OTHER_PROCESSOR CMAKE_CROSSCOMPILING AND NOT WIN32)
fardel_set_place(FARDEL_IN_QEMU CMAKE_CROSSCOMPILING_EMULATOR AND NOT WIN32)
# 64-bit ARM has bytes, sizes of numbers and files as x86-64 does. Instructions (names, hashes) and threads are its own.
fardel_set_place(FARDEL_ON_ARM FARDEL_OTHER_PROCESSOR AND CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")

# fardel_leave_out_where(<place> <folder> <reason> <[room/]x_test.cpp>…): the same for files that
# fardel_add_test_folder names, if the build is for that place: WIN32 or a variable above. It comes before that.
function(fardel_leave_out_where variable folder reason)
    if(${variable})
        fardel_leave_out_tests(${folder} "${reason}" ${ARGN})
        set_property(GLOBAL APPEND PROPERTY FARDEL_LEFT_OUT_OF_${folder} ${ARGN})
    elseif(variable STREQUAL "FARDEL_SANITIZED")
        set_property(GLOBAL APPEND PROPERTY FARDEL_UNSANITIZED_IN_${folder} ${ARGN})
    endif()
endfunction()

# What a test names that does less, or nothing, under a sanitizer: headers of tests, and functions of the kit.
# tests/arrows holds it to the headers.
string(CONCAT FARDEL_LESS_UNDER_SANITIZERS
    "(counted_memory|damage|failing_call|failing_memory|mod_change|own_kernel|power_loss"
    "|restricted_program)[.]h\"|base/sanitizers[.]h>|can_move_clock")

# fardel_list_unsanitized(<variable> <folder> <[room/]x_test.cpp>…): those of the files that sanitizers leave out, as a
# whole or in part.
function(fardel_list_unsanitized variable folder)
    get_property(listed GLOBAL PROPERTY FARDEL_UNSANITIZED_IN_${folder})
    foreach(file IN LISTS ARGN)
        file(STRINGS "${file}" less REGEX "${FARDEL_LESS_UNDER_SANITIZERS}" LIMIT_COUNT 1)
        if(less AND NOT file IN_LIST listed)
            list(APPEND listed "${file}")
        endif()
    endforeach()
    set(${variable} ${listed} PARENT_SCOPE)
endfunction()

# fardel_add_test_folder_of(<folder> <component>): the folder's tests, if the component that they test is built.
macro(fardel_add_test_folder_of folder component)
    if(TARGET fardel::${component})
        add_subdirectory(${folder})
    else()
        fardel_leave_out_tests(${folder} "FARDEL_PARTS=${FARDEL_PARTS} has no ${component}" *)
    endif()
endmacro()

# Programs of another processor run in an emulator. What it cannot do, the tests leave out: kit/emulator.h.
if(CMAKE_CROSSCOMPILING_EMULATOR)
    add_compile_definitions(FARDEL_EMULATED)
endif()

# Cases about what the twins of *_linux.cpp lack say so: kit/portable.h.
if(FARDEL_PORTABLE)
    add_compile_definitions(FARDEL_PORTABLE)
endif()

# fardel_add_test_folder(<folder>
#     FILES <[room/]x_test.cpp>…   listed by hand, one per line
#     [SUPPORT <y.cpp>…]      linked in, without cases of their own
#     [COMPUTES <x_test.cpp>…] those of FILES that spend their time in their own code; optimised in every build
#     [LONG <x_test.cpp>…]    those of FILES that take longest: they start first, so that none of them ends alone
#     [ONE_THREAD <x_test.cpp>…] those of FILES that start no thread, or take long and have no threads but those of the
#                             writer and of fetching, which others are about: FARDEL_THREADS_ONLY leaves them out
#     [LINUX <x_test.cpp>…]   those of FILES about what Linux alone has: FARDEL_PORTABLE leaves them out
#     [BEYOND_CORE <x_test.cpp>…] those of FILES about files, threads, programs or what needs these: -DFARDEL_PARTS=core
#                             leaves them out
#     [SAME_EVERYWHERE <x_test.cpp>…] those of FILES that take long, and that nothing of a system or processor can
#                             change: cross builds leave them out
#     [ONE_PROCESSOR <x_test.cpp>…] those of FILES that are about rules and threads more than about bytes, numbers and
#                             files, or take minutes in an emulator: cross builds leave them out
#     [ONE_SYSTEM <x_test.cpp>…] those of ONE_PROCESSOR that another system's files or threads could change all the
#                             same: builds for Windows have them
#     LINKS <target>…
#     [TIMEOUT <seconds>])    for each file; 600 when left out
#
# Creates one executable, fardel_<folder>_tests, and one ctest per file: <folder>/x runs the cases of x_test.cpp, of
# whichever room. The executable has these definitions:
#     FARDEL_SOURCE_DIR   the repository, for golden files
#     FARDEL_PROGRAM      the path of the built `fardel`
# and may include the private headers of the folder that it tests, and what tests share: "kit/test.h", "kit/files.h",
# which gives a case a folder on disk, and their neighbours. All of x_test.cpp is in the namespace
# fardel::tests::x_test, so that its names are its own also where a unity build compiles several files as one.
# Without files it creates nothing.
function(fardel_add_test_folder folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT"
        "FILES;SUPPORT;COMPUTES;LONG;ONE_THREAD;LINUX;BEYOND_CORE;SAME_EVERYWHERE;ONE_PROCESSOR;ONE_SYSTEM;LINKS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "fardel_add_test_folder(${folder}): unexpected ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(FARDEL_THREADS_ONLY AND arg_ONE_THREAD)
        list(REMOVE_ITEM arg_FILES ${arg_ONE_THREAD})
        fardel_leave_out_tests(${folder} "they have no threads of interest" ${arg_ONE_THREAD})
    endif()
    get_property(left_out GLOBAL PROPERTY FARDEL_LEFT_OUT_OF_${folder})
    if(left_out)
        list(REMOVE_ITEM arg_FILES ${left_out})
    endif()
    if(FARDEL_UNSANITIZED_ONLY AND NOT folder STREQUAL "arrows")
        fardel_list_unsanitized(unsanitized ${folder} ${arg_FILES})
        set(sanitized ${arg_FILES})
        list(REMOVE_ITEM sanitized ${unsanitized})
        fardel_leave_out_tests(${folder} "asan runs them" ${sanitized})
        set(arg_FILES ${unsanitized})
    endif()
    if(FARDEL_PORTABLE AND arg_LINUX)
        list(REMOVE_ITEM arg_FILES ${arg_LINUX})
        fardel_leave_out_tests(${folder} "they are about what Linux alone has" ${arg_LINUX})
    endif()
    if(FARDEL_PARTS STREQUAL "core" AND arg_BEYOND_CORE)
        list(REMOVE_ITEM arg_FILES ${arg_BEYOND_CORE})
        fardel_leave_out_tests(${folder} "core has no files, threads and programs" ${arg_BEYOND_CORE})
    endif()
    if(CMAKE_CROSSCOMPILING AND arg_SAME_EVERYWHERE)
        list(REMOVE_ITEM arg_FILES ${arg_SAME_EVERYWHERE})
        fardel_leave_out_tests(${folder} "no system can change them, and an emulator takes minutes"
            ${arg_SAME_EVERYWHERE})
    endif()
    if(WIN32 AND arg_ONE_SYSTEM)
        list(REMOVE_ITEM arg_ONE_PROCESSOR ${arg_ONE_SYSTEM})
    endif()
    if(CMAKE_CROSSCOMPILING AND arg_ONE_PROCESSOR)
        list(REMOVE_ITEM arg_FILES ${arg_ONE_PROCESSOR})
        fardel_leave_out_tests(${folder} "they are about rules and threads, or take minutes in an emulator"
            ${arg_ONE_PROCESSOR})
    endif()
    if(NOT arg_FILES)
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 600)
    endif()

    if(arg_COMPUTES AND NOT FARDEL_OPTIMISE STREQUAL "all")
        fardel_compile_optimised(${arg_COMPUTES})
    endif()
    set(target "fardel_${folder}_tests")
    add_executable(${target} ${arg_FILES} ${arg_SUPPORT})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")  # what tests share: kit/x.h
    if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}")
        target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/${folder}")  # its private headers
    endif()
    target_link_libraries(${target} PRIVATE fardel_doctest_main ${arg_LINKS})
    target_compile_definitions(${target} PRIVATE
        DOCTEST_CONFIG_SUPER_FAST_ASSERTS
        FARDEL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    if(TARGET fardel)
        target_compile_definitions(${target} PRIVATE FARDEL_PROGRAM="$<TARGET_FILE:fardel>")
        add_dependencies(${target} fardel)
    endif()
    fardel_compile_strictly(${target})
    fardel_compile_quickly(${target} libraries computing)

    foreach(file IN LISTS arg_FILES)
        if(NOT file MATCHES "^([a-z0-9_]+/)?([a-z0-9_]+)_test\\.cpp$")
            message(FATAL_ERROR "fardel_add_test_folder(${folder}): ${file} is not named x_test.cpp")
        endif()
        set(name "${folder}/${CMAKE_MATCH_2}")
        add_test(NAME "${name}" COMMAND ${target} "--source-file=*/${file}")
        set_tests_properties("${name}" PROPERTIES TIMEOUT ${arg_TIMEOUT})
        if(file IN_LIST arg_LONG)
            set_tests_properties("${name}" PROPERTIES COST 1)
        endif()
    endforeach()
endfunction()
