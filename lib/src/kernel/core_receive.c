// SPDX-License-Identifier: MIT
/*
 * The messages of cores, see core.h and lib/core/protocol.h.
 *
 * A core may send anything, as kernels can damage it.  So each message is checked,
 * and an invalid one is only logged.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "core/protocol.h"

#include "base/log.h"
#include "core_internal.h"
#include "exception.h"

#define RECEIVE_MAX	4096

/* Append the text of a message to an exception, with the nearest allocation. */
static void add_exception(const struct core_exception *from, const char *text,
			  size_t length, bool is_finding)
{
	struct vnpu_exception exception = {
		.stream = from->stream,
		.seq = from->seq,
		.kind = from->kind,
		.core = from->core,
		.block = from->block,
		.address = from->address,
	};
	char where[160] = "";

	if (from->address)
		vnpu_describe_address(from->address, where, sizeof(where));
	snprintf(exception.text, sizeof(exception.text), "%.*s%s%s",
		 (int)length, text, *where ? "; the address is " : "", where);
	if (is_finding)
		vnpu_log(ACL_WARNING, __func__, "%s", exception.text);
	else
		vnpu_exception_add(&exception);
}

static void on_ready(struct vnpu_core *core, const struct core_ready *ready,
		     const char *text, size_t length)
{
	pthread_mutex_lock(&core->lock);
	if (core->state != STATE_STARTING) {
		/* It says so once. */
	} else if (ready->protocol != CORE_PROTOCOL) {
		snprintf(core->why, sizeof(core->why),
			 "vnpu-core is of another version (%u instead of %u); install it together with the library",
			 ready->protocol, CORE_PROTOCOL);
		vnpu_process_kill(&core->process);
	} else if (ready->error) {
		snprintf(core->why, sizeof(core->why), "%.*s", (int)length,
			 text);
	} else {
		*core->why = '\0';
		vnpu_core_set_state(core, STATE_ON);
	}
	pthread_mutex_unlock(&core->lock);
}

/* If several threads of the core end it, the first reason counts. */
static void on_end(struct vnpu_core *core, const struct core_exit *end)
{
	pthread_mutex_lock(&core->lock);
	if (!core->process.has_end)
		core->process.end = *end;
	core->process.has_end = true;
	pthread_mutex_unlock(&core->lock);
}

/* Handle a message; false if it is invalid. */
static bool handle(struct vnpu_core *core, const char *bytes, size_t length)
{
	struct core_message head;
	union {
		struct core_ready ready;
		struct core_print print;
		struct core_exception exception;
		struct core_exit end;
	} body;
	size_t own;

	if (length < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	bytes += sizeof(head);
	length -= sizeof(head);
	switch (head.type) {
	case CORE_READY:
		own = sizeof(body.ready);
		break;
	case CORE_PRINT:
		own = sizeof(body.print);
		break;
	case CORE_EXCEPTION:
	case CORE_FINDING:
		own = sizeof(body.exception);
		break;
	case CORE_EXIT:
		own = sizeof(body.end);
		break;
	default:
		return false;
	}
	if (head.length != length || length < own)
		return false;
	memcpy(&body, bytes, own);
	bytes += own;
	length -= own;
	if (head.type == CORE_READY)
		on_ready(core, &body.ready, bytes, length);
	else if (head.type == CORE_EXIT)
		on_end(core, &body.end);
	else if (head.type == CORE_PRINT)
		vnpu_print_add(body.print.stream, bytes, length);
	else
		add_exception(&body.exception, bytes, length,
			      head.type == CORE_FINDING);
	return true;
}

bool vnpu_core_receive_locked(struct vnpu_core *core)
{
	char bytes[CORE_MESSAGE_MAX];

	for (unsigned int i = 0; i < RECEIVE_MAX; i++) {
		ssize_t length = recv(core->process.socket, bytes,
				      sizeof(bytes), MSG_DONTWAIT | MSG_TRUNC);

		/* A core that ends with unread messages; its own follow. */
		if (length < 0 && (errno == EINTR || errno == ECONNRESET))
			continue;
		if (length < 0)
			return errno == EAGAIN;
		if (!length)
			return false;
		if ((size_t)length > sizeof(bytes) ||
		    !handle(core, bytes, length))
			vnpu_log(ACL_WARNING, __func__,
				"vnpu-core has sent an invalid message of %zd bytes",
				length);
	}
	return true;
}
