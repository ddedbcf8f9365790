# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

# This example has its own kernels for each kind of executor in this build.
set(source ${CMAKE_CURRENT_LIST_DIR}/custom-matrix-format.cpp)
set(hip_source ${CMAKE_CURRENT_LIST_DIR}/stencil.hip.cpp)
if(SPRUCE_WITH_OMP)
    target_link_libraries(custom-matrix-format PRIVATE OpenMP::OpenMP_CXX)
endif()
if(SPRUCE_WITH_CUDA)
    target_sources(custom-matrix-format PRIVATE ${CMAKE_CURRENT_LIST_DIR}/stencil.cu)
    target_compile_definitions(custom-matrix-format PRIVATE EXAMPLE_WITH_CUDA)
    set_target_properties(custom-matrix-format PROPERTIES CUDA_ARCHITECTURES "${SPRUCE_CUDA_ARCHITECTURES}")
endif()
if(SPRUCE_WITH_HIP AND NOT SPRUCE_HIP_PLATFORM_USED STREQUAL "host")
    target_compile_definitions(custom-matrix-format PRIVATE EXAMPLE_WITH_HIP)
    if(SPRUCE_HIP_PLATFORM_USED STREQUAL "nvidia")
        target_sources(custom-matrix-format PRIVATE ${hip_source})
        set_source_files_properties(${hip_source} PROPERTIES LANGUAGE CUDA
            INCLUDE_DIRECTORIES ${SPRUCE_HIP_INCLUDE_DIR} COMPILE_DEFINITIONS "__HIP_PLATFORM_NVIDIA__;__HIP_PLATFORM_NVCC__"
            COMPILE_OPTIONS "-include;${PROJECT_SOURCE_DIR}/hip/platform/nvidia/compatibility.hpp")
        set_target_properties(custom-matrix-format PROPERTIES CUDA_ARCHITECTURES "${SPRUCE_CUDA_ARCHITECTURES}")
        target_link_libraries(custom-matrix-format PRIVATE CUDA::cudart_static)
    else()
        find_library(SPRUCE_AMDHIP64 amdhip64 HINTS $ENV{ROCM_PATH}/lib REQUIRED)
        set(object ${CMAKE_CURRENT_BINARY_DIR}/stencil.hip.cpp.o)
        list(TRANSFORM SPRUCE_HIP_ARCHITECTURES PREPEND --offload-arch= OUTPUT_VARIABLE architectures)
        add_custom_command(OUTPUT ${object} DEPENDS ${hip_source} DEPFILE ${object}.d
            COMMAND ${SPRUCE_HIPCC} -x hip ${architectures} -std=c++17 -O2 -fPIC -D__HIP_PLATFORM_AMD__
                -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_BINARY_DIR}/include -MD -MF ${object}.d -c ${hip_source} -o ${object}
            COMMENT "Compiling stencil.hip.cpp" VERBATIM)
        target_sources(custom-matrix-format PRIVATE ${object})
        target_link_libraries(custom-matrix-format PRIVATE ${SPRUCE_AMDHIP64})
    endif()
endif()
# A simulated device has one warp width, and a process has one device.
if(SPRUCE_WITH_HIP AND SPRUCE_HIP_PLATFORM_USED STREQUAL "host" AND BUILD_SHARED_LIBS)
    foreach(width IN LISTS SPRUCE_HIP_WARP_SIZES)
        set(program custom-matrix-format_hip${width})
        add_executable(${program} ${source} ${hip_source})
        set_target_properties(${program} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
        target_compile_definitions(${program} PRIVATE EXAMPLE_WITH_HIP
            $<TARGET_PROPERTY:spruce_hip_host_${width},INTERFACE_COMPILE_DEFINITIONS>)
        target_include_directories(${program} PRIVATE
            $<TARGET_PROPERTY:spruce_hip_host_${width},INTERFACE_INCLUDE_DIRECTORIES>)
        target_link_libraries(${program} PRIVATE Spruce::spruce spruce_hip${width})
    endforeach()
endif()
