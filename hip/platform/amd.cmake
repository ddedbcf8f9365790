# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

# Builds code objects for AMD GPUs by explicit rules for hipcc: CMake's HIP language does not find the packages of every
# distribution. Architectures are grouped by their warp size: gfx9 has 64 lanes, RDNA (gfx10, gfx11) has 32.
find_library(SPRUCE_HIPSPARSE hipsparse HINTS $ENV{ROCM_PATH}/lib REQUIRED)
# The output of dev_tools/cuda2hip is compiled into objects that are not linked.
set(SPRUCE_HIP_TRANSLATED "" CACHE PATH "folder of translated CUDA sources that are to compile, too (for dev_tools/hip_amd_check.sh)")
set(SPRUCE_HIPCC_FLAGS "-O3" CACHE STRING "additional flags for hipcc")
mark_as_advanced(SPRUCE_HIP_TRANSLATED SPRUCE_HIPCC_FLAGS)

# Returns the architectures that have warps of this width.
function(spruce_hip_architectures result width)
    set(architectures ${SPRUCE_HIP_ARCHITECTURES})
    if(width EQUAL 64)
        list(FILTER architectures INCLUDE REGEX "^gfx9")
    else()
        list(FILTER architectures INCLUDE REGEX "^gfx1")
    endif()
    set(${result} ${architectures} PARENT_SCOPE)
endfunction()

# Adds the rule that compiles a source into an object for all architectures of a warp width.
function(spruce_add_hipcc_object object source width)
    spruce_hip_architectures(architectures ${width})
    list(TRANSFORM architectures PREPEND --offload-arch= OUTPUT_VARIABLE flags)
    list(JOIN architectures "," architecture_names)
    separate_arguments(optimization UNIX_COMMAND "${SPRUCE_HIPCC_FLAGS}")
    set(warnings -Wall -Wno-unused-command-line-argument)
    if(SPRUCE_WERROR)
        list(APPEND warnings -Werror)
    endif()
    get_filename_component(directory ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${directory})
    file(RELATIVE_PATH name ${PROJECT_BINARY_DIR} ${object})
    add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d
        COMMAND ${SPRUCE_HIPCC} -x hip ${flags} -std=c++17 ${optimization} ${warnings} -fPIC -fvisibility=hidden
            -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -D__HIP_PLATFORM_AMD__ -DSPRUCE_HIP_WARP_SIZE=${width}
            "-DSPRUCE_GPU_ARCHITECTURES=\"${architecture_names}\""
            -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_BINARY_DIR}/include
            -MD -MF ${object}.d -c ${source} -o ${object}
        COMMENT "Compiling ${name} for ${architecture_names}" VERBATIM)
endfunction()

set(translated)
if(SPRUCE_HIP_TRANSLATED)
    # dev_tools/cuda2hip also translates these generated sources.
    spruce_generate_kernel_sources(cuda_sources ${PROJECT_SOURCE_DIR}/cuda/kernel.cu.in ${CMAKE_CURRENT_BINARY_DIR}/cuda
        common/gpu common/unified)
    file(GLOB_RECURSE translated CONFIGURE_DEPENDS ${SPRUCE_HIP_TRANSLATED}/*.hip.cpp)
endif()

foreach(width IN LISTS SPRUCE_HIP_WARP_SIZES)
    set(target spruce_hip${width})
    set(objects)
    set(translated_objects)
    foreach(source IN LISTS sources translated)
        if(source IN_LIST translated)
            file(RELATIVE_PATH name ${SPRUCE_HIP_TRANSLATED} ${source})
            set(name translated/${name})
            set(list translated_objects)
        else()
            if(source IN_LIST kernel_sources)
                file(RELATIVE_PATH name ${CMAKE_CURRENT_BINARY_DIR} ${source})
            else()
                file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${source})
            endif()
            set(list objects)
        endif()
        set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}/${name}.o)
        spruce_add_hipcc_object(${object} ${source} ${width})
        list(APPEND ${list} ${object})
    endforeach()
    if(translated_objects)
        add_custom_target(${target}_translated ALL DEPENDS ${translated_objects})
    endif()
    set(library ${PROJECT_BINARY_DIR}/lib/lib${target}.so)
    spruce_hip_architectures(architectures ${width})
    list(TRANSFORM architectures PREPEND --offload-arch= OUTPUT_VARIABLE flags)
    add_custom_command(OUTPUT ${library} DEPENDS ${objects} spruce
        COMMAND ${SPRUCE_HIPCC} ${flags} -shared -o ${library} ${objects} $<TARGET_FILE:spruce> ${SPRUCE_HIPSPARSE}
            -Wl,-rpath,$ORIGIN
        COMMENT "Linking ${target}" VERBATIM)
    add_custom_target(${target} ALL DEPENDS ${library})
    install(FILES ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set_property(GLOBAL APPEND PROPERTY SPRUCE_BACKENDS ${target})
endforeach()
