# SPDX-License-Identifier: MIT
#
# find_package(ASC) in front of project(NAME LANGUAGES ASC CXX): where CMake finds
# the language.

list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/asc_modules)
set(ASC_FOUND TRUE)
