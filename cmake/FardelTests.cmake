# How tests are declared.

# fardel_add_test_folder(<folder>
#     FILES <[room/]x_test.cpp>…   listed by hand, one per line
#     [SUPPORT <y.cpp>…]      linked in, without cases of their own
#     [COMPUTES <x_test.cpp>…] those of FILES that spend their time in their own code; optimised in every build
#     [LONG <x_test.cpp>…]    those of FILES that take longest: they start first, so that none of them ends alone
#     [ONE_THREAD <x_test.cpp>…] those of FILES that take long and start no thread, so that ThreadSanitizer could find
#                             nothing: FARDEL_THREADS_ONLY leaves them out
#     [LINUX <x_test.cpp>…]   those of FILES about what Linux alone has: FARDEL_PORTABLE leaves them out
#     [BEYOND_CORE <x_test.cpp>…] those of FILES about files, threads, programs or what needs these: -DFARDEL_PARTS=core
#                             leaves them out
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
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "FILES;SUPPORT;COMPUTES;LONG;ONE_THREAD;LINUX;BEYOND_CORE;LINKS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "fardel_add_test_folder(${folder}): unexpected ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(FARDEL_THREADS_ONLY AND arg_ONE_THREAD)
        list(REMOVE_ITEM arg_FILES ${arg_ONE_THREAD})
        list(JOIN arg_ONE_THREAD ", " left_out)
        message(STATUS "Not built, because they have no threads: in tests/${folder}, ${left_out}")
    endif()
    if(FARDEL_PORTABLE AND arg_LINUX)
        list(REMOVE_ITEM arg_FILES ${arg_LINUX})
        list(JOIN arg_LINUX ", " left_out)
        message(STATUS "Not built, because they are about what Linux alone has: in tests/${folder}, ${left_out}")
    endif()
    if(FARDEL_PARTS STREQUAL "core" AND arg_BEYOND_CORE)
        list(REMOVE_ITEM arg_FILES ${arg_BEYOND_CORE})
        list(JOIN arg_BEYOND_CORE ", " left_out)
        message(STATUS "Not built, because core has no files, threads and programs: in tests/${folder}, ${left_out}")
    endif()
    if(NOT arg_FILES)
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 600)
    endif()

    if(arg_COMPUTES AND NOT FARDEL_OPTIMISE STREQUAL "all")
        set_source_files_properties(${arg_COMPUTES} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -O2)
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
