# SPDX-License-Identifier: MIT
#
# Libraries of kernels in CMake, as builds for CANN make them:
#
#	set(ASCENDC_CMAKE_DIR ...)	# the directory of this file
#	include(${ASCENDC_CMAKE_DIR}/ascendc.cmake)
#	ascendc_library(kernels STATIC add.cpp)
#	ascendc_compile_definitions(kernels PRIVATE HAVE_WORKSPACE)
#	target_link_libraries(program PRIVATE kernels ascendcl)
#
# SOC_VERSION names the chip: Ascend910B1 if it is not set.  Programs include
# aclrtlaunch_KERNEL.h for each kernel of C linkage of a library that they link.

include_guard(GLOBAL)

list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/asc_modules)
enable_language(ASC)

# The option that names the chip.
function(_ascendc_arch result)
	set(soc "${SOC_VERSION}")
	string(TOLOWER "${soc}" soc)
	if(soc MATCHES "^(ascend)?910b" OR soc MATCHES "^(ascend)?910_93" OR
	   soc STREQUAL "")
		set(arch dav-2201)
	elseif(soc MATCHES "^(ascend)?310p")
		set(arch dav-2002)
	elseif(soc MATCHES "^(ascend)?910")
		set(arch dav-1001)
	elseif(soc MATCHES "^(ascend)?950")
		set(arch dav-3510)
	else()
		message(FATAL_ERROR "SOC_VERSION: unknown chip ${SOC_VERSION}")
	endif()
	set(${result} --npu-arch=${arch} PARENT_SCOPE)
endfunction()

# ascendc_library(TARGET STATIC|SHARED|OBJECT SOURCE...)
function(ascendc_library target type)
	_ascendc_arch(arch)
	set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ASC)
	add_library(${target} ${type} ${ARGN})
	set_target_properties(${target} PROPERTIES
		POSITION_INDEPENDENT_CODE ON)
	target_compile_options(${target} PRIVATE
		$<$<COMPILE_LANGUAGE:ASC>:${arch}>)

	# Headers are made before anything that links the library is compiled.
	set(headers ${CMAKE_CURRENT_BINARY_DIR}/include/${target})
	set(sources)
	foreach(source IN LISTS ARGN)
		get_filename_component(source ${source} ABSOLUTE)
		list(APPEND sources ${source})
	endforeach()
	file(MAKE_DIRECTORY ${headers})
	set(dirs "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
	set(defs "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
	add_custom_command(OUTPUT ${headers}/.stamp
		COMMAND ${CMAKE_ASC_COMPILER} ${arch} -x asc
			--only-launch-headers --launch-headers=${headers}
			"$<$<BOOL:${dirs}>:-I$<JOIN:${dirs},;-I>>"
			"$<$<BOOL:${defs}>:-D$<JOIN:${defs},;-D>>"
			${sources}
		COMMAND ${CMAKE_COMMAND} -E touch ${headers}/.stamp
		DEPENDS ${sources}
		COMMENT "Headers of the kernels in ${target}"
		COMMAND_EXPAND_LISTS VERBATIM)
	add_custom_target(${target}_launch_headers DEPENDS ${headers}/.stamp)
	add_dependencies(${target} ${target}_launch_headers)
	target_include_directories(${target} INTERFACE ${headers})
endfunction()

# ascendc_fatbin_library(TARGET SOURCE...)
#
# The image alone, out/fatbin/TARGET/TARGET.o, for aclrtBinaryLoadFromFile().
function(ascendc_fatbin_library target)
	_ascendc_arch(arch)
	set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target})
	set(out ${CMAKE_CURRENT_SOURCE_DIR}/out/fatbin/${target})
	if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT OR
	   NOT CMAKE_INSTALL_PREFIX)
		set(installed ${out})
	else()
		set(installed ${CMAKE_INSTALL_PREFIX}/fatbin/${target})
	endif()

	# One image: sources that are more than one are included in one file.
	set(text)
	set(sources)
	foreach(source IN LISTS ARGN)
		get_filename_component(source ${source} ABSOLUTE)
		list(APPEND sources ${source})
		string(APPEND text "#include \"${source}\"\n")
	endforeach()
	file(MAKE_DIRECTORY ${dir})
	file(GENERATE OUTPUT ${dir}/${target}.asc CONTENT "${text}")

	# A library without sources keeps the properties of the target.
	add_library(${target}_options INTERFACE)
	set(dirs "$<TARGET_PROPERTY:${target}_options,INTERFACE_INCLUDE_DIRECTORIES>")
	set(defs "$<TARGET_PROPERTY:${target}_options,INTERFACE_COMPILE_DEFINITIONS>")
	set(opts "$<TARGET_PROPERTY:${target}_options,INTERFACE_COMPILE_OPTIONS>")
	add_custom_command(OUTPUT ${dir}/${target}.o
		COMMAND ${CMAKE_ASC_COMPILER} ${arch} --image
			-MD -MT ${dir}/${target}.o -MF ${dir}/${target}.d
			"$<$<BOOL:${dirs}>:-I$<JOIN:${dirs},;-I>>"
			"$<$<BOOL:${defs}>:-D$<JOIN:${defs},;-D>>"
			"${opts}"
			-o ${dir}/${target}.o ${dir}/${target}.asc
		DEPENDS ${sources} ${dir}/${target}.asc
		DEPFILE ${dir}/${target}.d
		COMMENT "Kernels of ${target}"
		COMMAND_EXPAND_LISTS VERBATIM)
	add_custom_command(OUTPUT ${out}/${target}.o
		COMMAND ${CMAKE_COMMAND} -E copy ${dir}/${target}.o
			${out}/${target}.o
		DEPENDS ${dir}/${target}.o)
	add_custom_target(${target} ALL DEPENDS ${out}/${target}.o)
	install(FILES ${dir}/${target}.o DESTINATION ${installed})
endfunction()

# The target itself, or what keeps its options.
function(_ascendc_target target result scope)
	if(TARGET ${target}_options)
		set(${result} ${target}_options PARENT_SCOPE)
		set(${scope} INTERFACE PARENT_SCOPE)
	else()
		set(${result} ${target} PARENT_SCOPE)
		set(${scope} PRIVATE PARENT_SCOPE)
	endif()
endfunction()

function(ascendc_compile_options target)
	_ascendc_target(${target} real scope)
	list(REMOVE_ITEM ARGN PRIVATE PUBLIC INTERFACE)
	target_compile_options(${real} ${scope} ${ARGN})
endfunction()

function(ascendc_compile_definitions target)
	_ascendc_target(${target} real scope)
	list(REMOVE_ITEM ARGN PRIVATE PUBLIC INTERFACE)
	target_compile_definitions(${real} ${scope} ${ARGN})
endfunction()

function(ascendc_include_directories target)
	_ascendc_target(${target} real scope)
	list(REMOVE_ITEM ARGN PRIVATE PUBLIC INTERFACE)
	target_include_directories(${real} ${scope} ${ARGN})
endfunction()
