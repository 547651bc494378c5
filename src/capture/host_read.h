/* host_read: one node of a host trace from JSON. Private to the host reader. */
#ifndef NADI_CAPTURE_HOST_READ_H
#define NADI_CAPTURE_HOST_READ_H

#include "capture/host.h"

/* What one node says, before it is kept. */
struct nadi_host_draft {
    struct nadi_host *host;
    const char *begin; /* its opening brace */
    struct nadi_host_node node;
    struct nadi_host_comm comm;
    struct nadi_host_event event;
    bool has_id, has_comm, has_event;
};

/* The callback for nadi_text_read; the context is the host. */
bool nadi_host_read_node(void *host, struct nadi_pull *s);

#endif
