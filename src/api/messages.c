#include "api/gate.h"
#include "base/str.h"
#include "report/messages_json.h"

_Static_assert(NADI_LEVEL_NOTE == (int)NADI_NOTE && NADI_LEVEL_WARNING == (int)NADI_WARNING &&
                   NADI_LEVEL_ERROR == (int)NADI_ERROR,
               "public levels are the internal severities");

/* A list of the caller's: what was said, and room for the message that no memory is left. */
struct own {
    struct nadi_diags diags; /* first */
    struct nadi_spare spare;
};

const char *nadi_version(void)
{
    return NADI_VERSION;
}

void nadi_free(char *text)
{
    nadi_mem_free(text);
}

struct nadi_diags *nadi_messages_create(void)
{
    struct own *own = nadi_mem_try(sizeof(*own));
    if (!own)
        return NULL;
    nadi_diags_init(&own->diags);
    own->diags.spare = &own->spare;
    return &own->diags;
}

void nadi_messages_destroy(struct nadi_diags *messages)
{
    if (!messages)
        return;
    nadi_diags_release(messages);
    nadi_mem_free(messages);
}

void nadi_messages_stop(struct nadi_diags *messages, const volatile int *stop)
{
    if (messages)
        messages->stop = stop;
}

static bool has_spare(const struct nadi_diags *messages)
{
    return messages->spare && messages->spare->used;
}

size_t nadi_messages_count(const struct nadi_diags *messages)
{
    return messages ? messages->count + has_spare(messages) : 0;
}

/* NULL beyond the last one. The spare one came last. */
static const struct nadi_diag *item(const struct nadi_diags *messages, size_t index)
{
    if (messages && index < messages->count)
        return &messages->items[index];
    return index < nadi_messages_count(messages) ? &messages->spare->diag : NULL;
}

struct nadi_message_view nadi_messages_get(const struct nadi_diags *messages, size_t index)
{
    static const struct nadi_diag none = {
        .code = "argument/range", .message = "no such message", .place.rank = NADI_NONE};
    const struct nadi_diag *found = item(messages, index), *d = found ? found : &none;
    return (struct nadi_message_view){
        .level = (enum nadi_level)d->severity,
        .code = d->code,
        .file = d->place.file,
        .line = d->place.line,
        .column = d->place.column,
        .offset = d->place.offset,
        .rank = d->place.rank,
        .node = d->place.node,
        .text = d->message,
        .hint = d->hint,
    };
}

size_t nadi_messages_total(const struct nadi_diags *messages, enum nadi_level level)
{
    if (!messages)
        return 0;
    switch (level) {
    case NADI_LEVEL_NOTE:
        return messages->notes;
    case NADI_LEVEL_WARNING:
        return messages->warnings;
    case NADI_LEVEL_ERROR:
        return messages->errors;
    }
    return 0;
}

/* --- as texts ----------------------------------------------------------------------------------
 */

struct text_call {
    const struct nadi_diags *messages;
    size_t index;
    char *text;
};

static const struct nadi_field arguments_of_text[] = {
    NADI_HANDLE(struct text_call, messages),
    NADI_FIELDS_END,
};

static enum nadi_status format_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    const struct nadi_diag *d = item(a->messages, a->index);
    struct nadi_str text = NADI_STR_INIT;
    (void)diags;
    if (!d)
        return NADI_STATUS_INPUT;
    nadi_diag_format(d, &text);
    nadi_str_add(&text, "");
    a->text = text.text;
    return NADI_STATUS_DONE;
}

char *nadi_message_format(const struct nadi_diags *messages, size_t index)
{
    struct text_call a = {.messages = messages, .index = index};
    const enum nadi_status status =
        nadi_gate_call("nadi_message_format", arguments_of_text, &a, format_work, NULL);
    return status == NADI_STATUS_DONE ? a.text : NULL;
}

static enum nadi_status json_work(void *arguments, struct nadi_diags *diags)
{
    struct text_call *a = arguments;
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_json j;
    (void)diags;
    nadi_json_begin(&j, &text);
    nadi_json_object(&j, NULL);
    nadi_messages_json_members(a->messages, &j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    a->text = text.text;
    return NADI_STATUS_DONE;
}

char *nadi_messages_json(const struct nadi_diags *messages)
{
    struct text_call a = {.messages = messages};
    const enum nadi_status status =
        nadi_gate_call("nadi_messages_json", arguments_of_text, &a, json_work, NULL);
    return status == NADI_STATUS_DONE ? a.text : NULL;
}
