# Compiles the public headers as compilers read them that do not run here: Visual C++'s dialect by clang, and C++
# without any extension of GNU. Variables: CLANG, CLANGXX, FARDEL_SOURCE, SCRATCH.
cmake_minimum_required(VERSION 3.25)

function(compile)
    execute_process(COMMAND ${ARGV} WORKING_DIRECTORY "${SCRATCH}" RESULT_VARIABLE result ERROR_VARIABLE said)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${ARGV}:\n${said}")
    endif()
endfunction()

# expect_in(<file> <regular expression>)
function(expect_in file pattern)
    file(READ "${SCRATCH}/${file}" text)
    if(NOT text MATCHES "${pattern}")
        message(FATAL_ERROR "${file} does not match ${pattern}:\n${text}")
    endif()
endfunction()

file(MAKE_DIRECTORY "${SCRATCH}")
file(GLOB folders LIST_DIRECTORIES true "${FARDEL_SOURCE}/*/include")
list(TRANSFORM folders PREPEND "-I" OUTPUT_VARIABLE include)
set(of_c "")
set(of_cpp "")
foreach(folder IN LISTS folders)
    file(GLOB headers RELATIVE "${folder}" "${folder}/fardel/*/*.h")
    foreach(header IN LISTS headers)
        if(header MATCHES "/fardel[a-z_]*\\.h$")
            string(APPEND of_c "#include <${header}>\n")
        endif()
        string(APPEND of_cpp "#include <${header}>\n")
    endforeach()
endforeach()
if(NOT of_c MATCHES "fardel_types.h" OR NOT of_cpp MATCHES "result.h")
    message(FATAL_ERROR "there are no headers below ${FARDEL_SOURCE}")
endif()

# Freestanding: clang brings stddef.h and stdint.h, and the C headers include no others.
file(WRITE "${SCRATCH}/headers.c" "${of_c}")
set(visual "${CLANG}" --target=x86_64-pc-windows-msvc -ffreestanding -pedantic-errors -Wall -Wextra -Werror ${include})
foreach(standard IN ITEMS c99 c11)
    compile(${visual} -std=${standard} -fsyntax-only headers.c)
endforeach()
compile(${visual} -x c++ -std=c++14 -fsyntax-only headers.c)

# FARDEL_API: nothing for the static library, an import for users of the DLL, and an export where Fardel is built.
file(WRITE "${SCRATCH}/user.c" "${of_c}const char* version(void) { return fardel_version_text(); }\n")
file(WRITE "${SCRATCH}/builder.c" "${of_c}const char* fardel_version_text(void) { return 0; }\n")
compile(${visual} -O1 -S user.c -o static.s)
compile(${visual} -O1 -DFARDEL_SHARED -S user.c -o shared.s)
compile(${visual} -O1 -DFARDEL_BUILDING -S builder.c -o builder.s)
expect_in(static.s "[ \t]fardel_version_text")
expect_in(shared.s "__imp_fardel_version_text")
expect_in(builder.s "EXPORT:fardel_version_text")

file(WRITE "${SCRATCH}/headers.cpp" "${of_cpp}")
compile("${CLANGXX}" -std=c++20 -pedantic-errors -Wgnu -Wlanguage-extension-token -Werror ${include} -fsyntax-only
    headers.cpp)
