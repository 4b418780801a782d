# SPDX-License-Identifier: MIT
#
# find_package(ASC) in front of project(NAME LANGUAGES ASC CXX): where CMake finds
# the language, and the variables that projects read.  Kernels run on one kind of
# device, so the run mode has one value.

list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/asc_modules)
set(CMAKE_ASC_ARCHITECTURES dav-2201 CACHE STRING "chip that kernels are for")
set(CMAKE_ASC_RUN_MODE npu CACHE STRING "where kernels run: npu")
set(ASC_FOUND TRUE)
