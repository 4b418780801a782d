/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: streams, and the objects that they wait for. */
#ifndef SELFTESTS_LIB_FAIL_NTH_STREAM_H
#define SELFTESTS_LIB_FAIL_NTH_STREAM_H

#include "fail_nth_calls.h"

static aclError make_stream(struct world *w)
{
	return aclrtCreateStream(&w->stream);
}

static aclError make_event(struct world *w)
{
	return aclrtCreateEventExWithFlag(&w->event, ACL_EVENT_SYNC |
					  ACL_EVENT_TIME_LINE);
}

static aclError make_notify(struct world *w)
{
	return aclrtCreateNotify(&w->notify, 0);
}

static aclError make_counter(struct world *w)
{
	return aclrtCntNotifyCreate(&w->counter, 0);
}

CALL(destroy_stream, {
	return END(w, stream, aclrtDestroyStream(w->stream));
})

CALL(abort_stream, {
	return aclrtStreamAbort(w->work.a);
})

CALL(record_event, {
	return aclrtRecordEvent(w->event, w->work.a);
})

CALL(wait_event, {
	return aclrtStreamWaitEvent(w->work.b, w->event);
})

static aclError make_recorded(struct world *w)
{
	aclError err = make_event(w);

	return err ? err : call_record_event(w);
}

CALL(synchronize_event, {
	return aclrtSynchronizeEvent(w->event);
})

static aclError make_ipc_event(struct world *w)
{
	return aclrtCreateEventExWithFlag(&w->event, ACL_EVENT_IPC);
}

CALL(get_event_handle, {
	aclrtIpcEventHandle handle;

	return aclrtIpcGetEventHandle(w->event, &handle);
})

static aclError make_recorded_ipc_event(struct world *w)
{
	aclError err = make_ipc_event(w);

	if (!err)
		err = aclrtMemsetAsync(w->work.dev, 8, 0, 8, w->work.a);
	return err ? err : call_record_event(w);
}

CALL(destroy_event, {
	return END(w, event, aclrtDestroyEvent(w->event));
})

CALL(synchronize_stream, {
	return aclrtSynchronizeStream(w->work.a);
})

CALL(record_notify, {
	return aclrtRecordNotify(w->notify, w->work.a);
})

CALL(destroy_notify, {
	return END(w, notify, aclrtDestroyNotify(w->notify));
})

CALL(destroy_counter, {
	return END(w, counter, aclrtCntNotifyDestroy(w->counter));
})

static void do_nothing(void *data)
{
	(void)data;
}

CALL(subscribe, {
	return aclrtSubscribeReport(pthread_self(), w->stream);
})

static aclError make_subscribed(struct world *w)
{
	aclError err = make_stream(w);

	return err ? err : call_subscribe(w);
}

CALL(launch_callback, {
	return aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_NO_BLOCK,
				   w->stream);
})

/* Its context has a thread, which sleeps. */
static aclError make_served(struct world *w)
{
	aclError err = make_stream(w);

	if (!err)
		err = aclrtLaunchHostFunc(w->stream, do_nothing, NULL);
	return err ? err : aclrtSynchronizeStream(w->stream);
}

CALL(launch_host_func, {
	return aclrtLaunchHostFunc(w->stream, do_nothing, NULL);
})

static const struct sweep stream_calls[] = {
	{ "aclrtCreateStream", NULL, make_stream, false, 0 },
	{ "aclrtDestroyStream", make_stream, call_destroy_stream, false, 0 },
	{ "aclrtStreamAbort", NULL, call_abort_stream, false, 0 },
	{ "aclrtSynchronizeStream", NULL, call_synchronize_stream, false, 0 },
	{ "aclrtSubscribeReport", make_stream, call_subscribe, false, 0 },
	{ "aclrtLaunchCallback", make_subscribed, call_launch_callback,
	  false, 0 },
	{ "aclrtLaunchHostFunc", make_served, call_launch_host_func, false, 0 },
	{ 0 }
};

static const struct sweep event_calls[] = {
	{ "aclrtCreateEventExWithFlag", NULL, make_event, false, 0 },
	{ "aclrtRecordEvent", make_event, call_record_event, false, 0 },
	{ "aclrtStreamWaitEvent", make_recorded, call_wait_event, false, 0 },
	{ "aclrtSynchronizeEvent", make_recorded, call_synchronize_event,
	  false, 0 },
	{ "aclrtDestroyEvent", make_event, call_destroy_event, false, 0 },
	{ "aclrtCreateEventExWithFlag, of IPC", NULL, make_ipc_event, false, 0 },
	{ "aclrtIpcGetEventHandle", make_ipc_event, call_get_event_handle,
	  false, 0 },
	{ "aclrtRecordEvent, of IPC", make_ipc_event, call_record_event, false, 0 },
	{ "aclrtStreamWaitEvent, of IPC", make_recorded_ipc_event,
	  call_wait_event, false, 0 },
	{ "aclrtCreateNotify", NULL, make_notify, false, 0 },
	{ "aclrtRecordNotify", make_notify, call_record_notify, false, 0 },
	{ "aclrtDestroyNotify", make_notify, call_destroy_notify, false, 0 },
	{ "aclrtCntNotifyCreate", NULL, make_counter, false, 0 },
	{ "aclrtCntNotifyDestroy", make_counter, call_destroy_counter,
	  false, 0 },
	{ 0 }
};

#endif
