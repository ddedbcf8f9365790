# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

# Builds the sources with HIP's headers for NVIDIA and nvcc. This allows measuring the overhead of HIP compared to CUDA.
set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
spruce_add_backend(hip32 ${sources})
target_include_directories(spruce_hip32 SYSTEM PRIVATE ${SPRUCE_HIP_INCLUDE_DIR})
target_compile_definitions(spruce_hip32 PRIVATE __HIP_PLATFORM_NVIDIA__ __HIP_PLATFORM_NVCC__ SPRUCE_HIP_ON_NVIDIA=1
    SPRUCE_HIP_WARP_SIZE=32 "SPRUCE_GPU_ARCHITECTURES=\"${SPRUCE_CUDA_ARCHITECTURES}\"")
target_compile_options(spruce_hip32 PRIVATE "SHELL:-include ${CMAKE_CURRENT_SOURCE_DIR}/platform/nvidia/compatibility.hpp")
target_link_libraries(spruce_hip32 PRIVATE CUDA::cudart_static CUDA::cusparse CUDA::cublas)
if(NOT BUILD_SHARED_LIBS)
    target_link_libraries(spruce PRIVATE CUDA::cudart_static CUDA::cusparse CUDA::cublas)
endif()
