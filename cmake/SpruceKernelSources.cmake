# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

# Generates a source of a backend for each shared kernel file: every *_kernels.hpp in the folders, which are relative to the top of the
# tree. A template sets the backend's configuration and includes SPRUCE_KERNEL_FILE. Sources are written only when they change.
#   spruce_generate_kernel_sources(RESULT TEMPLATE TARGET FOLDER...)   RESULT: absolute paths of the sources, which are in TARGET
function(spruce_generate_kernel_sources result template target)
    get_filename_component(extension ${template} NAME)
    string(REGEX REPLACE "^kernel(.*)\\.in$" "\\1" extension ${extension})
    set(generated)
    foreach(folder IN LISTS ARGN)
        file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/*_kernels.hpp)
        foreach(SPRUCE_KERNEL_FILE IN LISTS files)
            file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_SOURCE_DIR}/${SPRUCE_KERNEL_FILE})
            string(REGEX REPLACE "\\.hpp$" "${extension}" name ${name})
            set(source ${target}/${name})
            if(source IN_LIST generated)
                message(FATAL_ERROR "Two of the folders ${ARGN} have a kernel file for ${name}: a file of kernels needs a name of its own.")
            endif()
            configure_file(${template} ${source} @ONLY)
            list(APPEND generated ${source})
        endforeach()
    endforeach()
    set(${result} ${generated} PARENT_SCOPE)
endfunction()
