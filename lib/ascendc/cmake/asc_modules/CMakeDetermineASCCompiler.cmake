# SPDX-License-Identifier: MIT
#
# The compiler of the language ASC: $ASC, CMAKE_ASC_COMPILER, or the one of the
# tree that this file is in.

if(NOT CMAKE_ASC_COMPILER)
	if(NOT "$ENV{ASC}" STREQUAL "")
		set(_asc_names $ENV{ASC})
	else()
		set(_asc_names bisheng vnpu-cc)
	endif()
	# tikcpp/ascendc_kernel_cmake/asc_modules, with links to it.
	get_filename_component(_asc_here ${CMAKE_CURRENT_LIST_DIR} REALPATH)
	find_program(CMAKE_ASC_COMPILER NAMES ${_asc_names}
		HINTS ${_asc_here}/../../../bin
		DOC "compiler of Ascend C")
	if(NOT CMAKE_ASC_COMPILER)
		message(FATAL_ERROR "neither bisheng nor vnpu-cc is found")
	endif()
endif()
mark_as_advanced(CMAKE_ASC_COMPILER)

set(CMAKE_ASC_COMPILER_ENV_VAR "ASC")
set(CMAKE_ASC_COMPILER_ID vnpu)
configure_file(${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in
	${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake @ONLY)
