# Compares the symbols that LIBRARY exports, by NM, with the functions that HEADERS declare with FARDEL_API. Two more
# functions, which have their own symbol version, are only for the other libraries of the same release.

execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${LIBRARY}"
    OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
set(exported)
foreach(line IN LISTS lines)
    string(REGEX MATCH "^[^ @]+" name "${line}")
    if(line MATCHES "^fardel_private_set_(archives|projects)@@FARDEL_PRIVATE_[0-9.]+ ")
        continue()
    endif()
    if(NOT name MATCHES "^FARDEL_(0|PRIVATE_.*)$")  # the versions of all of them
        list(APPEND exported "${name}")
    endif()
endforeach()

set(text)
foreach(header IN LISTS HEADERS)
    file(READ "${header}" part)
    string(APPEND text "${part}")
endforeach()
string(REGEX MATCHALL "FARDEL_API [a-z0-9_* ]*[* ]fardel_[a-z0-9_]+\\(" declarations "${text}")
list(TRANSFORM declarations REPLACE ".*[* ](fardel_[a-z0-9_]+)\\($" "\\1" OUTPUT_VARIABLE declared)
string(REGEX MATCHALL "\nFARDEL_API " marks "${text}")

list(SORT exported)
list(SORT declared)
list(LENGTH declared count)
list(LENGTH marks marked)
if(NOT count EQUAL marked OR count EQUAL 0)
    message(FATAL_ERROR "read ${count} of ${marked} declarations in ${HEADERS}")
endif()
if(NOT exported STREQUAL declared)
    message(FATAL_ERROR "exported: ${exported}\ndeclared: ${declared}")
endif()
message(STATUS "${count} functions")
