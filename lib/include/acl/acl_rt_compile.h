/* SPDX-License-Identifier: MIT */
/*
 * Compilation of kernels at run time, by vnpu-cc.
 *
 * Any thread may call these functions.
 */
#ifndef ACL_ACL_RT_COMPILE_H
#define ACL_ACL_RT_COMPILE_H

#include <stddef.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclrtcProg;

static const int ACL_ERROR_RTC_INVALID_PROG				= 176000;
static const int ACL_ERROR_RTC_INVALID_INPUT				= 176001;
static const int ACL_ERROR_RTC_INVALID_OPTION				= 176002;
static const int ACL_ERROR_RTC_COMPILATION				= 176003;
static const int ACL_ERROR_RTC_LINKING					= 176004;
static const int ACL_ERROR_RTC_NO_NAME_EXPR_AFTER_COMPILATION		= 176005;
static const int ACL_ERROR_RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION	= 176006;
static const int ACL_ERROR_RTC_NAME_EXPR_NOT_VALID			= 176007;
static const int ACL_ERROR_RTC_PROG_CREATION_FAILURE			= 276000;
static const int ACL_ERROR_RTC_OUT_OF_MEMORY				= 276001;
static const int ACL_ERROR_RTC_FAILURE					= 576000;

/**
 * aclrtcCreateProg() - create a program
 * @prog: set to the program
 * @src: its source, which is copied
 * @name: name of the source for messages, or NULL
 * @numHeaders: number of headers that the source includes beside those of Ascend C
 * @headers: their texts, which are copied; may be NULL for none
 * @includeNames: their names as in #include, which may have folders; may be NULL for
 *	none
 *
 * Errors: ACL_ERROR_RTC_INVALID_INPUT for NULL, a negative number, a name that occurs
 * twice, is absolute, longer than 255 characters or has a part that is empty, "." or
 * "..", ACL_ERROR_RTC_OUT_OF_MEMORY.
 */
ACL_FUNC_VISIBILITY aclError aclrtcCreateProg(aclrtcProg *prog,
	const char *src, const char *name, int numHeaders,
	const char **headers, const char **includeNames);

/**
 * aclrtcDestroyProg() - destroy a program
 * @prog: the program; set to NULL
 *
 * Errors: ACL_ERROR_RTC_INVALID_INPUT for NULL, ACL_ERROR_RTC_INVALID_PROG.
 */
ACL_FUNC_VISIBILITY aclError aclrtcDestroyProg(aclrtcProg *prog);

/**
 * aclrtcAddNameExpr() - request the name of a kernel in the binary
 * @prog: a program that is not compiled yet
 * @nameExpr: an expression for a kernel, such as add<float>
 *
 * Templates are instantiated for the expression.
 *
 * Errors: ACL_ERROR_RTC_INVALID_INPUT for NULL, ACL_ERROR_RTC_INVALID_PROG,
 * ACL_ERROR_RTC_NO_NAME_EXPR_AFTER_COMPILATION, ACL_ERROR_RTC_OUT_OF_MEMORY.
 */
ACL_FUNC_VISIBILITY aclError aclrtcAddNameExpr(aclrtcProg prog,
	const char *nameExpr);

/**
 * aclrtcCompileProg() - compile a program
 * @prog: the program
 * @numOptions: number of options
 * @options: options of vnpu-cc
 *
 * Runs the compiler, which takes a second or more.
 *
 * Errors: ACL_ERROR_RTC_INVALID_INPUT for NULL, ACL_ERROR_RTC_INVALID_PROG,
 * ACL_ERROR_RTC_COMPILATION if the compiler refuses the source, see
 * aclrtcGetCompileLog(); ACL_ERROR_RTC_FAILURE if it cannot be run.
 */
ACL_FUNC_VISIBILITY aclError aclrtcCompileProg(aclrtcProg prog, int numOptions,
	const char **options);

/**
 * aclrtcGetBinDataSize() - get the size of the binary
 * @prog: a compiled program
 * @binDataSizeRet: set to the bytes
 *
 * Errors: ACL_ERROR_RTC_INVALID_INPUT for NULL, ACL_ERROR_RTC_INVALID_PROG for a
 * program that is not compiled, too.
 */
ACL_FUNC_VISIBILITY aclError aclrtcGetBinDataSize(aclrtcProg prog,
	size_t *binDataSizeRet);

/**
 * aclrtcGetBinData() - get the binary, for aclrtBinaryLoadFromData()
 * @prog: a compiled program
 * @binData: memory of at least that size, which is filled
 *
 * Errors: as aclrtcGetBinDataSize().
 */
ACL_FUNC_VISIBILITY aclError aclrtcGetBinData(aclrtcProg prog, char *binData);

/**
 * aclrtcGetLoweredName() - get the name of a kernel in the binary
 * @prog: a compiled program
 * @nameExpr: an expression of aclrtcAddNameExpr()
 * @loweredName: set to the name, for aclrtBinaryGetFunction(); valid as long as
 *	the program
 *
 * Errors: ACL_ERROR_RTC_INVALID_INPUT for NULL, ACL_ERROR_RTC_INVALID_PROG,
 * ACL_ERROR_RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION,
 * ACL_ERROR_RTC_NAME_EXPR_NOT_VALID for another expression, or one that is not a
 * kernel.
 */
ACL_FUNC_VISIBILITY aclError aclrtcGetLoweredName(aclrtcProg prog,
	const char *nameExpr, const char **loweredName);

/**
 * aclrtcGetCompileLogSize() - get the size of the compiler's messages
 * @prog: a program
 * @logSizeRet: set to the bytes, with a terminating zero
 *
 * Errors: ACL_ERROR_RTC_INVALID_INPUT for NULL, ACL_ERROR_RTC_INVALID_PROG.
 */
ACL_FUNC_VISIBILITY aclError aclrtcGetCompileLogSize(aclrtcProg prog,
	size_t *logSizeRet);

/**
 * aclrtcGetCompileLog() - get the compiler's messages
 * @prog: a program
 * @log: memory of at least that size, which is filled
 *
 * Errors: as aclrtcGetCompileLogSize().
 */
ACL_FUNC_VISIBILITY aclError aclrtcGetCompileLog(aclrtcProg prog, char *log);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_COMPILE_H */
