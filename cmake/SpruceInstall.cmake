# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Spruce)

install(TARGETS spruce EXPORT SpruceTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT SpruceTargets NAMESPACE Spruce:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/spruce ${PROJECT_BINARY_DIR}/include/spruce
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/SpruceConfig.cmake.in
    ${PROJECT_BINARY_DIR}/SpruceConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SpruceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SpruceConfig.cmake ${PROJECT_BINARY_DIR}/SpruceConfigVersion.cmake
    DESTINATION ${package_dir})

# pkg-config: where the libraries are is worked out from where the file is, so an installed tree can be moved.
file(RELATIVE_PATH SPRUCE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(${PROJECT_SOURCE_DIR}/cmake/spruce.pc.in ${PROJECT_BINARY_DIR}/spruce.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/spruce.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(SPRUCE_GINKGO_COMPATIBILITY)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ginkgo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/GinkgoConfig.cmake.in
        ${PROJECT_BINARY_DIR}/GinkgoConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ginkgo)
    install(FILES ${PROJECT_BINARY_DIR}/GinkgoConfig.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ginkgo)
endif()
