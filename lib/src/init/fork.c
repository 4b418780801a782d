// SPDX-License-Identifier: MIT
/*
 * Handling of fork().
 *
 * Before a fork the library takes all locks, so that the child's copy of its
 * data is consistent, and drops them on both sides.  If the device was open,
 * the child closes its copy of the file: the device memory belongs to the
 * parent, and is not visible in the child.  Every call that needs the device
 * then fails in the child.  A child that is forked before that may use the
 * library like any process.
 *
 * The locks are taken in the order in which they nest; the last ones are
 * leaves.
 */
#include <errno.h>
#include <pthread.h>

#include "base/fork.h"
#include "base/handle.h"
#include "io/va.h"

static int watch_result;

static void fork_prepare(void)
{
	vnpu_init_lock();
	vnpu_runtime_lock();
	vnpu_mbuf_lock();
	vnpu_async_lock();
	vnpu_registry_lock();
	vnpu_mempool_lock();
	vnpu_lib_block_lock();
	vnpu_capture_lock();
	vnpu_order_lock();
	vnpu_unit_lock();
	vnpu_core_lock_all();
	vnpu_binary_lock();
	vnpu_io_lock();
	vnpu_va_lock_all();
	vnpu_guard_lock();
	vnpu_host_lock();
	vnpu_stream_share_lock();
	vnpu_share_lock();
	vnpu_hooks_lock();
	vnpu_reporter_lock();
	vnpu_userptr_lock();
	vnpu_managed_lock();
	vnpu_prof_lock();
	vnpu_handle_lock();
	vnpu_stamp_lock();
	vnpu_failure_lock();
	vnpu_dump_lock();
	vnpu_snapshot_lock();
	vnpu_book_lock();
	vnpu_exception_lock();
	vnpu_error_lock();
	vnpu_profile_lock();
}

static void fork_parent(void)
{
	vnpu_profile_unlock();
	vnpu_error_unlock();
	vnpu_exception_unlock();
	vnpu_book_unlock();
	vnpu_snapshot_unlock();
	vnpu_dump_unlock();
	vnpu_failure_unlock();
	vnpu_stamp_unlock();
	vnpu_handle_unlock();
	vnpu_prof_unlock();
	vnpu_managed_unlock();
	vnpu_userptr_unlock();
	vnpu_reporter_unlock();
	vnpu_hooks_unlock();
	vnpu_share_unlock();
	vnpu_stream_share_unlock();
	vnpu_host_unlock();
	vnpu_guard_unlock();
	vnpu_va_unlock_all();
	vnpu_io_unlock();
	vnpu_binary_unlock();
	vnpu_core_unlock_all();
	vnpu_unit_unlock();
	vnpu_order_unlock();
	vnpu_capture_unlock();
	vnpu_lib_block_unlock();
	vnpu_mempool_unlock();
	vnpu_registry_unlock();
	vnpu_async_unlock();
	vnpu_mbuf_unlock();
	vnpu_runtime_unlock();
	vnpu_init_unlock();
}

static void fork_child(void)
{
	vnpu_io_disown();
	vnpu_core_disown();
	vnpu_print_disown();
	vnpu_context_disown();
	vnpu_snapshot_disown();
	vnpu_prof_disown();
	vnpu_profile_disown();
	vnpu_registry_disown();
	fork_parent();
}

__attribute__((constructor))
static void fork_register(void)
{
	watch_result = -pthread_atfork(fork_prepare, fork_parent, fork_child);
}

int vnpu_fork_watch(void)
{
	return watch_result;
}
