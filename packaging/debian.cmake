# Run by cpack on what each package will contain, before it is packed: what Debian wants otherwise than CMake installs
# it. Each package is a folder of CPACK_TEMPORARY_DIRECTORY, named by its component.

set(changes "fardel (${CPACK_DEBIAN_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * See ")
string(APPEND changes "/usr/share/doc/fardel/CHANGELOG.md in fardel-doc.\n\n")
string(APPEND changes " -- ${CPACK_PACKAGE_CONTACT}  ${CPACK_FARDEL_DATE}\n")

function(compress file)
    execute_process(COMMAND gzip -9n -- "${file}" COMMAND_ERROR_IS_FATAL ANY)
    file(CHMOD "${file}.gz" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER "${component}" part)
    set(usr "${CPACK_TEMPORARY_DIRECTORY}/${component}/usr")

    # Debian asks for notices and changes beside each package's documents.
    set(documents "${usr}/share/doc/${CPACK_DEBIAN_${part}_PACKAGE_NAME}")
    configure_file("${CPACK_FARDEL_SOURCE_DIR}/NOTICES.md" "${documents}/copyright" COPYONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    file(WRITE "${documents}/changelog.Debian" "${changes}")
    compress("${documents}/changelog.Debian")

    file(GLOB manuals "${usr}/share/man/man1/*.1")
    foreach(manual IN LISTS manuals)
        compress("${manual}")
    endforeach()

    # Where Debian's zsh looks; the other folder is for what is installed beside packages.
    if(EXISTS "${usr}/share/zsh/site-functions")
        file(RENAME "${usr}/share/zsh/site-functions" "${usr}/share/zsh/vendor-completions")
    endif()
endforeach()
