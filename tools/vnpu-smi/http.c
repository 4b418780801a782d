// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi exporter: HTTP, by libmicrohttpd.
 *
 * The library depends on a TLS library and others, which take longer to load
 * than any other command takes to run, so it is loaded on demand.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <microhttpd.h>

#include "metrics.h"

#define LIBRARY		"libmicrohttpd.so.12"

/* Limits on idle connections. */
#define CONNECTIONS	16U
#define SECONDS		10U

#define MEMBER(name)	__typeof__(MHD_##name) *name

/* The functions of the library that are used. */
static struct {
	MEMBER(start_daemon);
	MEMBER(stop_daemon);
	MEMBER(create_response_from_buffer);
	MEMBER(add_response_header);
	MEMBER(queue_response);
	MEMBER(destroy_response);
} mhd;

#define FIND(library, name)						\
	((mhd.name = (__typeof__(mhd.name))dlsym(library, "MHD_" #name)))

static bool load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	return library && FIND(library, start_daemon) &&
	       FIND(library, stop_daemon) &&
	       FIND(library, create_response_from_buffer) &&
	       FIND(library, add_response_header) &&
	       FIND(library, queue_response) &&
	       FIND(library, destroy_response);
}

/* @text is freed, unless it is @is_constant. */
static enum MHD_Result answer(struct MHD_Connection *connection,
			      unsigned int code, const char *type, char *text,
			      size_t length, bool is_constant)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	response = mhd.create_response_from_buffer(length, text, is_constant ?
						   MHD_RESPMEM_PERSISTENT :
						   MHD_RESPMEM_MUST_FREE);
	if (!response) {
		if (!is_constant)
			free(text);
		return MHD_NO;
	}
	mhd.add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	result = mhd.queue_response(connection, code, response);
	mhd.destroy_response(response);
	return result;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned int code,
			   const char *text)
{
	return answer(connection, code, "text/plain", (char *)text,
		      strlen(text), true);
}

static enum MHD_Result
handle(void *arg, struct MHD_Connection *connection, const char *url,
       const char *method, const char *version __attribute__((unused)),
       const char *data __attribute__((unused)),
       size_t *data_size __attribute__((unused)),
       void **context __attribute__((unused)))
{
	enum smi_exit (*const *serve)(char **page, size_t *length) = arg;
	size_t length;
	char *page;

	if (strcmp(method, MHD_HTTP_METHOD_GET) &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD))
		return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
			   "only GET is supported\n");
	if (strcmp(url, "/metrics"))
		return say(connection, MHD_HTTP_NOT_FOUND,
			   "only /metrics exists\n");
	if ((*serve)(&page, &length))
		return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "the driver cannot be queried\n");
	return answer(connection, MHD_HTTP_OK, METRICS_TYPE, page, length,
		      false);
}

enum smi_exit http_serve(int fd, enum smi_exit (*serve)(char **page,
							size_t *length))
{
	struct MHD_Daemon *daemon;
	sigset_t signals;
	int number;

	/*
	 * Block the signals before threads start, so that this one gets them.
	 */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (!load()) {
		close(fd);
		return fail(SMI_FAILED, "cannot load %s, which HTTP needs",
			    LIBRARY);
	}
	daemon = mhd.start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL,
				  handle, &serve,
				  MHD_OPTION_LISTEN_SOCKET, fd,
				  MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
				  MHD_OPTION_CONNECTION_TIMEOUT, SECONDS,
				  MHD_OPTION_END);
	if (!daemon) {
		close(fd);
		return fail(SMI_FAILED, "cannot start the HTTP server");
	}
	sigwait(&signals, &number);
	mhd.stop_daemon(daemon);
	return SMI_OK;
}
