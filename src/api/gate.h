/* gate: what every function of the public interface goes through that allocates, reads or writes.
 *
 * In this order: the arguments are checked (argument.h), the work runs in a guard (base/guard.h)
 * with a heap, and what it says is handed to the caller's list. When memory runs out the heap is
 * released, the results are emptied and the status is LIMIT; the same with BUG. A function that is
 * called by another one of the interface, from inside, is part of that one's call.
 *
 * SIGPIPE and SIGXFSZ, which a write may raise, are held back from a host meanwhile, so that the
 * write fails; but not from nadi's own program. */
#ifndef NADI_API_GATE_H
#define NADI_API_GATE_H

#include "api/argument.h"
#include "base/diag.h"
#include "base/guard.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/originals.h"

/* What a handle begins with that keeps things between calls. */
struct nadi_handle {
    struct nadi_heap heap; /* all that it keeps */
    struct nadi_diags diags;
    struct nadi_spare spare;
    struct nadi_originals originals; /* what its calls have read */
    enum nadi_status failed;         /* DONE, or what every call returns since a failure */
    bool inside;                     /* made by another call, whose heap has all */
};

struct nadi_gate {
    const char *name; /* of the function, for messages */
    const struct nadi_field *members;
    void *arguments; /* struct that `members` describe */
    enum nadi_status (*work)(void *arguments, struct nadi_diags *diags);
    struct nadi_diags *messages; /* the caller's; NULL: none, or the handle's */
    struct nadi_handle *handle;  /* `messages` is its list */
    bool keeps; /* the work changes what the handle keeps, which is lost in a failure */
};

enum nadi_status nadi_gate(const struct nadi_gate *g);

/* Of a function without a handle. */
static inline enum nadi_status nadi_gate_call(const char *name, const struct nadi_field *members,
                                              void *arguments,
                                              enum nadi_status (*work)(void *, struct nadi_diags *),
                                              struct nadi_diags *messages)
{
    return nadi_gate(&(struct nadi_gate){.name = name,
                                         .members = members,
                                         .arguments = arguments,
                                         .work = work,
                                         .messages = messages});
}

/* Of a function with one; NULL: there is none, INPUT. */
enum nadi_status nadi_gate_handle(const char *name, const struct nadi_field *members,
                                  void *arguments,
                                  enum nadi_status (*work)(void *, struct nadi_diags *),
                                  struct nadi_handle *h, bool keeps);
/* A call that does not come after the right one: an error, and INPUT. */
enum nadi_status nadi_out_of_order(struct nadi_diags *diags, const char *what);

void nadi_handle_init(struct nadi_handle *h);
/* Before the handle is freed; what it keeps was released. */
void nadi_handle_release(struct nadi_handle *h);

#endif
