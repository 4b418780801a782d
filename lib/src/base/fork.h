/* SPDX-License-Identifier: MIT */
/*
 * Handling of fork(), see fork.c.  Each module with a lock has functions to
 * take and drop it, which only fork.c calls.
 */
#ifndef VNPU_LIB_FORK_H
#define VNPU_LIB_FORK_H

/* Register the fork handlers; 0 or -ENOMEM. */
int vnpu_fork_watch(void);

void vnpu_init_lock(void);
void vnpu_init_unlock(void);
void vnpu_handle_lock(void);
void vnpu_handle_unlock(void);
void vnpu_io_lock(void);
void vnpu_io_unlock(void);
void vnpu_host_lock(void);
void vnpu_host_unlock(void);
void vnpu_stream_share_lock(void);
void vnpu_stream_share_unlock(void);
void vnpu_lib_block_lock(void);
void vnpu_lib_block_unlock(void);
void vnpu_guard_lock(void);
void vnpu_guard_unlock(void);
void vnpu_share_lock(void);
void vnpu_share_unlock(void);
void vnpu_capture_lock(void);
void vnpu_capture_unlock(void);
void vnpu_userptr_lock(void);
void vnpu_userptr_unlock(void);
void vnpu_managed_lock(void);
void vnpu_managed_unlock(void);
void vnpu_stamp_lock(void);
void vnpu_stamp_unlock(void);
void vnpu_reporter_lock(void);
void vnpu_reporter_unlock(void);
void vnpu_failure_lock(void);
void vnpu_failure_unlock(void);
void vnpu_dump_lock(void);
void vnpu_dump_unlock(void);
void vnpu_hooks_lock(void);
void vnpu_hooks_unlock(void);
void vnpu_mbuf_lock(void);
void vnpu_mbuf_unlock(void);
void vnpu_snapshot_lock(void);
void vnpu_snapshot_unlock(void);
void vnpu_async_lock(void);
void vnpu_async_unlock(void);
void vnpu_registry_lock(void);
void vnpu_registry_unlock(void);
void vnpu_mempool_lock(void);
void vnpu_mempool_unlock(void);
void vnpu_order_lock(void);
void vnpu_order_unlock(void);
void vnpu_unit_lock(void);
void vnpu_unit_unlock(void);
void vnpu_core_lock_all(void);
void vnpu_core_unlock_all(void);
void vnpu_binary_lock(void);
void vnpu_binary_unlock(void);
void vnpu_book_lock(void);
void vnpu_book_unlock(void);
void vnpu_exception_lock(void);
void vnpu_exception_unlock(void);
void vnpu_prof_lock(void);
void vnpu_prof_unlock(void);
void vnpu_profile_lock(void);
void vnpu_profile_unlock(void);
void vnpu_error_lock(void);
void vnpu_error_unlock(void);

/* In the child: close the inherited file and refuse all further use. */
void vnpu_io_disown(void);

/* In the child: close what belongs to the cores of the parent. */
void vnpu_core_disown(void);

/* In the child: drop the output of kernels, which the parent writes. */
void vnpu_print_disown(void);

/* In the child: drop the thread's context, so that no call uses it. */
void vnpu_context_disown(void);

/* In the child: end a snapshot, which belongs to the parent. */
void vnpu_snapshot_disown(void);

/* In the child: stop recording, which belongs to the parent. */
void vnpu_profile_disown(void);
void vnpu_prof_disown(void);

/* In the child: drop all pools. */
void vnpu_registry_disown(void);

#endif /* VNPU_LIB_FORK_H */
