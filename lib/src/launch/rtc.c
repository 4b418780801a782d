// SPDX-License-Identifier: MIT
/*
 * Compilation at run time, see acl/acl_rt_compile.h: the programs.
 * rtc_compile.c compiles them.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt_compile.h"
#include "base/error.h"
#include "base/handle.h"
#include "rtc.h"

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_RTC_OUT_OF_MEMORY,
			  "no host memory for a program");
}

static void program_free(struct vnpu_rtc_program *program)
{
	struct vnpu_rtc_expression *next, *expression = program->expressions;

	for (; expression; expression = next) {
		next = expression->next;
		free(expression->name);
		free(expression);
	}
	vnpu_rtc_headers_free(program->headers);
	free(program->data);
	free(program->log);
	free(program->name);
	free(program->source);
	free(program);
}

static void program_put(struct vnpu_rtc_program *program)
{
	if (!vnpu_handle_put(program->handle))
		return;
	pthread_mutex_destroy(&program->lock);
	program_free(program);
}

/* Find a program, lock it, and take a reference; or report an error. */
static aclError enter(aclrtcProg handle, struct vnpu_rtc_program **program)
{
	if (!handle)
		return vnpu_error(ACL_ERROR_RTC_INVALID_INPUT,
			"prog is NULL; pass one of aclrtcCreateProg");
	*program = vnpu_handle_get(VNPU_HANDLE_PROGRAM, handle);
	if (!*program)
		return vnpu_error(ACL_ERROR_RTC_INVALID_PROG,
			"prog = %p was destroyed, or is not from aclrtcCreateProg",
			handle);
	pthread_mutex_lock(&(*program)->lock);
	return ACL_SUCCESS;
}

static void leave(struct vnpu_rtc_program *program)
{
	pthread_mutex_unlock(&program->lock);
	program_put(program);
}

static aclError null_input(const char *argument)
{
	return vnpu_error(ACL_ERROR_RTC_INVALID_INPUT,
			  "%s is NULL; pass a valid pointer", argument);
}

static aclError add_header(struct vnpu_rtc_program *program, const char *name,
			   const char *text)
{
	if (!name)
		return null_input("an element of includeNames");
	if (!text)
		return null_input("an element of headers");
	switch (vnpu_rtc_header_add(&program->headers, name, text)) {
	case 0:
		return ACL_SUCCESS;
	case -EINVAL:
		return vnpu_error(ACL_ERROR_RTC_INVALID_INPUT,
			"includeNames has \"%s\"; pass a relative path of at most %d characters without \"..\"",
			name, VNPU_RTC_HEADER_NAME);
	case -EEXIST:
		return vnpu_error(ACL_ERROR_RTC_INVALID_INPUT,
			"includeNames has \"%s\" twice", name);
	default:
		return no_memory();
	}
}

static aclError check_headers(int count, const char **headers,
			      const char **names)
{
	if (count < 0)
		return vnpu_error(ACL_ERROR_RTC_INVALID_INPUT,
			"numHeaders = %d is negative; pass 0 if there are none",
			count);
	if (count && !headers)
		return null_input("headers");
	if (count && !names)
		return null_input("includeNames");
	return ACL_SUCCESS;
}

/* Copy the parts of a program and give it a handle. */
static aclError program_fill(struct vnpu_rtc_program *program, const char *src,
			     const char *name, int count, const char **headers,
			     const char **names)
{
	aclError ret = ACL_SUCCESS;

	program->source = strdup(src);
	program->name = strdup(name && *name ? name : "default_program");
	program->end = &program->expressions;
	if (!program->source || !program->name)
		return no_memory();
	for (int i = 0; !ret && i < count; i++)
		ret = add_header(program, names[i], headers[i]);
	if (ret)
		return ret;
	pthread_mutex_init(&program->lock, NULL);
	program->handle = vnpu_handle_add(VNPU_HANDLE_PROGRAM, program);
	return program->handle ? ACL_SUCCESS : no_memory();
}

aclError aclrtcCreateProg(aclrtcProg *prog, const char *src, const char *name,
			  int numHeaders, const char **headers,
			  const char **includeNames)
{
	VNPU_CALL();
	struct vnpu_rtc_program *program;
	aclError ret;

	if (!prog)
		return null_input("prog");
	if (!src)
		return null_input("src");
	ret = check_headers(numHeaders, headers, includeNames);
	if (ret)
		return ret;
	program = calloc(1, sizeof(*program));
	if (!program)
		return no_memory();
	ret = program_fill(program, src, name, numHeaders, headers,
			   includeNames);
	if (ret) {
		program_free(program);
		return ret;
	}
	*prog = vnpu_u64_to_ptr(program->handle);
	return ACL_SUCCESS;
}

aclError aclrtcDestroyProg(aclrtcProg *prog)
{
	VNPU_CALL();
	struct vnpu_rtc_program *program;

	if (!prog || !*prog)
		return null_input("prog");
	program = vnpu_handle_remove(VNPU_HANDLE_PROGRAM, *prog);
	if (!program)
		return vnpu_error(ACL_ERROR_RTC_INVALID_PROG,
			"prog = %p was destroyed, or is not from aclrtcCreateProg",
			*prog);
	*prog = NULL;
	program_put(program);
	return ACL_SUCCESS;
}

static struct vnpu_rtc_expression *
find(const struct vnpu_rtc_program *program, const char *text)
{
	struct vnpu_rtc_expression *expression = program->expressions;

	while (expression && strcmp(expression->text, text))
		expression = expression->next;
	return expression;
}

aclError aclrtcAddNameExpr(aclrtcProg prog, const char *nameExpr)
{
	VNPU_CALL();
	struct vnpu_rtc_expression *new = NULL;
	struct vnpu_rtc_program *program;
	aclError ret;

	if (!nameExpr)
		return null_input("nameExpr");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	if (program->data) {
		ret = vnpu_error(ACL_ERROR_RTC_NO_NAME_EXPR_AFTER_COMPILATION,
			"the program is compiled already; add \"%s\" before",
			nameExpr);
	} else if (!find(program, nameExpr)) {
		new = calloc(1, sizeof(*new) + strlen(nameExpr) + 1);
		if (new) {
			strcpy(new->text, nameExpr);
			*program->end = new;
			program->end = &new->next;
		} else {
			ret = no_memory();
		}
	}
	leave(program);
	return ret;
}

static aclError compile_error(int err, const struct vnpu_rtc_program *program)
{
	const char *log = program->log ? program->log : "";

	if (err > 0)
		return vnpu_error(ACL_ERROR_RTC_COMPILATION,
			"vnpu-cc refuses the program; see aclrtcGetCompileLog: %.*s",
			(int)strcspn(log, "\n"), log);
	if (err == -ENOENT)
		return vnpu_error(ACL_ERROR_RTC_FAILURE,
			"there is no vnpu-cc beside the library; install it, or set VNPU_CC");
	return vnpu_error(ACL_ERROR_RTC_FAILURE, "vnpu-cc cannot be run: %s",
			  strerrordesc_np(-err));
}

aclError aclrtcCompileProg(aclrtcProg prog, int numOptions,
			   const char **options)
{
	VNPU_CALL();
	struct vnpu_rtc_program *program;
	aclError ret;
	int err;

	if (numOptions < 0 || numOptions > VNPU_RTC_OPTIONS)
		return vnpu_error(ACL_ERROR_RTC_INVALID_INPUT,
			"numOptions = %d is out of range; pass 0 to %d",
			numOptions, VNPU_RTC_OPTIONS);
	if (numOptions && !options)
		return null_input("options");
	for (int i = 0; i < numOptions; i++)
		if (!options[i])
			return null_input("an option");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	err = vnpu_rtc_compile(program, numOptions, options);
	if (err)
		ret = compile_error(err, program);
	leave(program);
	return ret;
}

static aclError not_compiled(void)
{
	return vnpu_error(ACL_ERROR_RTC_INVALID_PROG,
		"the program is not compiled; call aclrtcCompileProg before");
}

aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t *binDataSizeRet)
{
	VNPU_CALL();
	struct vnpu_rtc_program *program;
	aclError ret;

	if (!binDataSizeRet)
		return null_input("binDataSizeRet");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	if (program->data)
		*binDataSizeRet = program->size;
	else
		ret = not_compiled();
	leave(program);
	return ret;
}

aclError aclrtcGetBinData(aclrtcProg prog, char *binData)
{
	VNPU_CALL();
	struct vnpu_rtc_program *program;
	aclError ret;

	if (!binData)
		return null_input("binData");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	if (program->data)
		memcpy(binData, program->data, program->size);
	else
		ret = not_compiled();
	leave(program);
	return ret;
}

aclError aclrtcGetLoweredName(aclrtcProg prog, const char *nameExpr,
			      const char **loweredName)
{
	VNPU_CALL();
	const struct vnpu_rtc_expression *expression;
	struct vnpu_rtc_program *program;
	aclError ret;

	if (!nameExpr)
		return null_input("nameExpr");
	if (!loweredName)
		return null_input("loweredName");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	expression = find(program, nameExpr);
	if (!program->data)
		ret = vnpu_error(
			ACL_ERROR_RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION,
			"the program is not compiled; call aclrtcCompileProg before");
	else if (!expression || !expression->name)
		ret = vnpu_error(ACL_ERROR_RTC_NAME_EXPR_NOT_VALID,
			"\"%s\" %s", nameExpr, expression ?
			"is not a kernel of the program" :
			"was not added by aclrtcAddNameExpr");
	else
		*loweredName = expression->name;
	leave(program);
	return ret;
}

aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t *logSizeRet)
{
	VNPU_CALL();
	struct vnpu_rtc_program *program;
	aclError ret;

	if (!logSizeRet)
		return null_input("logSizeRet");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	*logSizeRet = (program->log ? strlen(program->log) : 0) + 1;
	leave(program);
	return ACL_SUCCESS;
}

aclError aclrtcGetCompileLog(aclrtcProg prog, char *log)
{
	VNPU_CALL();
	struct vnpu_rtc_program *program;
	aclError ret;

	if (!log)
		return null_input("log");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	strcpy(log, program->log ? program->log : "");
	leave(program);
	return ACL_SUCCESS;
}
