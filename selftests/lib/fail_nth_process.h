/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: those for the process, which need no device. */
#ifndef SELFTESTS_LIB_FAIL_NTH_PROCESS_H
#define SELFTESTS_LIB_FAIL_NTH_PROCESS_H

#include "fail_nth_calls.h"

#define CHIP	"Ascend910B1"

#define PROCESS_ROWS(ROW)						\
	ROW(aclrtGetVersion, NULL, (result(0), result(1), result(2)))	\
	ROW(aclsysGetCANNVersion, NULL, (ACL_PKG_NAME_RUNTIME, result(0))) \
	ROW(aclsysGetVersionStr, NULL, (runtime, result(0)))		\
	ROW(aclsysGetVersionNum, NULL, (runtime, result(0)))		\
	ROW(aclrtCheckArchCompatibility, NULL, (CHIP, result(0)))	\
	ROW(aclGetCannAttributeList, NULL, (result(0), result(1)))	\
	ROW(aclGetCannAttribute, NULL, (ACL_CANN_ATTR_BF16, result(0)))	\
	ROW(aclrtGetRunMode, NULL, (result(0)))				\
	ROW(aclrtSetSysParamOpt, NULL, (ACL_OPT_DETERMINISTIC, 0))	\
	ROW(aclrtGetSysParamOpt, NULL, (ACL_OPT_DETERMINISTIC, result(0))) \
	ROW(aclrtSetOpWaitTimeout, NULL, (0))				\
	ROW(aclrtSetOpExecuteTimeOut, NULL, (0))			\
	ROW(aclrtSetOpExecuteTimeOutWithMs, NULL, (0))			\
	ROW(aclrtSetOpExecuteTimeOutV2, NULL, (0, result(0)))		\
	ROW(aclrtGetOpTimeOutInterval, NULL, (result(0)))		\
	ROW(aclrtGetOpExecuteTimeout, NULL, (result(0)))		\
	ROW(aclrtGetMemcpyDescSize, NULL,				\
	    (ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, result(0)))

static char runtime[] = "runtime";

PROCESS_ROWS(ROW_CALL)

CALL(data_type_size, {
	return aclDataTypeSize(ACL_FLOAT) == 4 ? 0 : ACL_ERROR_INTERNAL_ERROR;
})

CALL(to_float, {
	return aclFloat16ToFloat(0x3c00) == 1 ? 0 : ACL_ERROR_INTERNAL_ERROR;
})

CALL(from_float, {
	return aclFloatToFloat16(1) == 0x3c00 ? 0 : ACL_ERROR_INTERNAL_ERROR;
})

CALL(version, {
	return made(vnpu_version());
})

/* It drops pending messages. */
CALL(get_message, {
	aclGetRecentErrMsg();
	return ACL_SUCCESS;
})

CALL(log, {
	aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__, "%s", "a line");
	return ACL_SUCCESS;
})

static const struct sweep process_calls[] = {
	PROCESS_ROWS(ROW_ENTRY)
	{ "aclDataTypeSize", NULL, call_data_type_size, false, 0 },
	{ "aclFloat16ToFloat", NULL, call_to_float, false, 0 },
	{ "aclFloatToFloat16", NULL, call_from_float, false, 0 },
	{ "vnpu_version", NULL, call_version, false, 0 },
	{ "aclGetRecentErrMsg", NULL, call_get_message, false, 0 },
	{ "aclAppLog", NULL, call_log, false, 0 },
	{ 0 }
};

#define CONFIG	"{ \"defaultDevice\": { \"default_device\": \"0\" } }"

static aclError write_config(struct world *w)
{
	FILE *file;

	(void)w;
	remove_files();
	if (mkdir(path_of(""), 0700))
		return ACL_ERROR_INVALID_FILE;
	file = fopen(path_of("/config"), "w");
	if (!file)
		return ACL_ERROR_INVALID_FILE;
	fputs(CONFIG, file);
	return fclose(file) ? ACL_ERROR_WRITE_FILE : ACL_SUCCESS;
}

static aclError begin(struct world *w, const char *path)
{
	aclError err = aclInit(path);

	w->is_begun = !err;
	return err;
}

CALL(init, {
	return begin(w, NULL);
})

CALL(init_by_file, {
	return begin(w, path_of("/config"));
})

CALL(finalize, {
	aclError err = aclFinalize();

	w->is_begun = err;
	return err;
})

CALL(finalize_reference, {
	aclError err = aclFinalizeReference(result(0));

	w->is_begun = err;
	return err;
})

/* The call returns all of the data, or none. */
static aclError on_init(const char *text, size_t length, void *data)
{
	return length == strlen(data) && !strcmp(text, data) ?
	       ACL_SUCCESS : ACL_ERROR_INTERNAL_ERROR;
}

static aclError on_finalize(void *data)
{
	(void)data;
	return ACL_SUCCESS;
}

/* Unregister at once, as the world would keep it. */
static aclError init_with_callback(const char *config)
{
	aclError err = aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init,
					       (void *)config);

	return err ? err : aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER,
						     on_init);
}

CALL(register_init, {
	return init_with_callback("");
})

static aclError make_begun(struct world *w)
{
	aclError err = write_config(w);

	return err ? err : call_init_by_file(w);
}

CALL(register_begun, {
	return init_with_callback(CONFIG);
})

CALL(init_called_back, {
	aclError err = aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init,
					       CONFIG);

	if (!err)
		err = call_init_by_file(w);
	aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, on_init);
	return err;
})

CALL(register_finalize, {
	aclError err = aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER,
						   on_finalize, NULL);

	return err ? err :
		     aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER,
						   on_finalize);
})

static aclError write_dump_config(struct world *w)
{
	aclError err = write_config(w);
	FILE *file = err ? NULL : fopen(path_of("/config"), "w");

	if (!file)
		return ACL_ERROR_INVALID_FILE;
	fprintf(file, "{\"dump\": {\"dump_path\": \"/tmp\", \"dump_step\": \"1\", \"dump_list\": [{\"model_name\": \"none\", \"layer\": [\"z\"]}]}}");
	return fclose(file) ? ACL_ERROR_WRITE_FILE : ACL_SUCCESS;
}

CALL(init_dump, {
	aclError err = aclmdlInitDump();

	return err ? err : aclmdlFinalizeDump();
})

CALL(set_dump, {
	aclError err = aclmdlInitDump();

	if (!err)
		err = aclmdlSetDump(path_of("/config"));
	aclmdlFinalizeDump();
	return err;
})

static aclError start_args(struct world *w)
{
	(void)w;
	return aclopStartDumpArgs(ACL_OP_DUMP_OP_AICORE_ARGS, "/tmp");
}

CALL(start_args, {
	aclError err = start_args(w);

	aclopStopDumpArgs(ACL_OP_DUMP_OP_AICORE_ARGS);
	return err;
})

CALL(stop_args, {
	return aclopStopDumpArgs(ACL_OP_DUMP_OP_AICORE_ARGS);
})

static const struct sweep begin_calls[] = {
	{ "aclInit", NULL, call_init, false, 0 },
	{ "aclInit, by a file", write_config, call_init_by_file, false,
	  FILES_OPEN },
	{ "aclInit, with a callback", write_config, call_init_called_back, false,
	  FILES_OPEN },
	{ "aclFinalize", call_init, call_finalize, false, 0 },
	{ "aclFinalizeReference", call_init, call_finalize_reference, false,
	  0 },
	{ "aclInit, with a dump", write_dump_config, call_init_by_file, false,
	  FILES_OPEN },
	{ "aclmdlInitDump", NULL, call_init_dump, false, 0 },
	{ "aclmdlSetDump", write_dump_config, call_set_dump, false, FILES_OPEN },
	{ "aclmdlFinalizeDump", NULL, call_init_dump, false, 0 },
	{ "aclopStartDumpArgs", NULL, call_start_args, false, FILES_OPEN },
	{ "aclopStopDumpArgs", start_args, call_stop_args, false, 0 },
	{ "aclInitCallbackRegister", NULL, call_register_init, false, 0 },
	{ "aclInitCallbackRegister, late", make_begun, call_register_begun,
	  false, 0 },
	{ "aclInitCallbackUnRegister", NULL, call_register_init, false, 0 },
	{ "aclFinalizeCallbackRegister", NULL, call_register_finalize, false,
	  0 },
	{ "aclFinalizeCallbackUnRegister", NULL, call_register_finalize,
	  false, 0 },
	{ 0 }
};

static void on_info(aclrtExceptionInfo *info)
{
	(void)info;
}

static unsigned int nr_called;

static void on_stream(aclrtStream stream, aclrtStreamState state, void *args)
{
	(void)stream;
	(void)state;
	(void)args;
	nr_called++;
}

static void on_device(int32_t device, aclrtDeviceState state, void *args)
{
	(void)device;
	(void)state;
	(void)args;
	nr_called++;
}

static int32_t on_abort(int32_t device, aclrtDeviceTaskAbortStage stage,
			uint32_t timeout, void *args)
{
	(void)device;
	(void)stage;
	(void)timeout;
	(void)args;
	nr_called++;
	return 0;
}

/* Run @call with its hook installed, which must be called @times. */
static aclError while_counted(aclError (*reg)(bool on),
			   aclError (*call)(struct world *w), struct world *w,
			   unsigned int times)
{
	aclError err = reg(true);

	nr_called = 0;
	if (err)
		return err;
	err = call(w);
	reg(false);
	return err || nr_called == times ? err : ACL_ERROR_INTERNAL_ERROR;
}

static aclError hook_stream(bool on)
{
	return aclrtRegStreamStateCallback("here", on ? on_stream : NULL, NULL);
}

static aclError hook_device(bool on)
{
	return aclrtRegDeviceStateCallback("here", on ? on_device : NULL, NULL);
}

static aclError hook_abort(bool on)
{
	return aclrtSetDeviceTaskAbortCallback("here", on ? on_abort : NULL,
					       NULL);
}

static aclError do_stream(struct world *w)
{
	return aclrtCreateStream(&w->stream);
}

static aclError do_device(struct world *w)
{
	(void)w;
	return aclrtSetDevice(0);
}

static aclError do_abort(struct world *w)
{
	(void)w;
	return aclrtDeviceTaskAbort(0, 0);
}

CALL(tell_of_stream, {
	return while_counted(hook_stream, do_stream, w, 1);
})

CALL(tell_of_device, {
	return while_counted(hook_device, do_device, w, 2);
})

CALL(tell_of_abort, {
	return while_counted(hook_abort, do_abort, w, 2);
})

CALL(set_exception, {
	aclError err = aclrtSetExceptionInfoCallback(on_info);

	return err ? err : aclrtSetExceptionInfoCallback(NULL);
})

CALL(register_exception, {
	aclError err = aclrtExceptionInfoCallbackRegister(on_info);

	return err ? err : aclrtExceptionInfoCallbackUnregister(on_info);
})

static const struct sweep hook_calls[] = {
	{ "aclrtRegStreamStateCallback", NULL, call_tell_of_stream, false, 0 },
	{ "aclrtRegDeviceStateCallback", NULL, call_tell_of_device, false, 0 },
	{ "aclrtSetDeviceTaskAbortCallback", NULL, call_tell_of_abort, false,
	  0 },
	{ "aclrtSetExceptionInfoCallback", NULL, call_set_exception, false,
	  0 },
	{ "aclrtExceptionInfoCallbackRegister", NULL, call_register_exception,
	  false, 0 },
	{ "aclrtExceptionInfoCallbackUnregister", NULL,
	  call_register_exception, false, 0 },
	{ 0 }
};

#endif
