# The API reference, from the public headers as they are: `cmake --build --preset program --target reference` writes
# build/program/reference/html/index.html. A warning of Doxygen fails it.

find_program(FARDEL_DOXYGEN doxygen)  # setup/install-dependencies installs it
mark_as_advanced(FARDEL_DOXYGEN)
file(GLOB FARDEL_REFERENCE_INPUT "${PROJECT_SOURCE_DIR}/*/include")
list(APPEND FARDEL_REFERENCE_INPUT "${PROJECT_SOURCE_DIR}/docs/reference/mainpage.dox")
list(JOIN FARDEL_REFERENCE_INPUT " " FARDEL_REFERENCE_INPUT)
configure_file("${PROJECT_SOURCE_DIR}/docs/reference/Doxyfile.in" "${PROJECT_BINARY_DIR}/reference/Doxyfile" @ONLY)
set(FARDEL_REFERENCE_COMMAND "${FARDEL_DOXYGEN}" "${PROJECT_BINARY_DIR}/reference/Doxyfile")
add_custom_target(reference COMMAND ${FARDEL_REFERENCE_COMMAND} VERBATIM)
