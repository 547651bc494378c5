#include "api/job.h"
#include "base/mem.h"
#include "base/str.h"

_Static_assert(NADI_LEVEL_NOTE == (int)NADI_NOTE && NADI_LEVEL_WARNING == (int)NADI_WARNING &&
                   NADI_LEVEL_ERROR == (int)NADI_ERROR,
               "public levels are the internal severities");

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
    struct nadi_diags *d = NADI_NEW(struct nadi_diags, 1);
    nadi_diags_init(d);
    return d;
}

void nadi_messages_destroy(struct nadi_diags *messages)
{
    if (!messages)
        return;
    nadi_diags_release(messages);
    nadi_mem_free(messages);
}

size_t nadi_messages_count(const struct nadi_diags *messages)
{
    return messages->count;
}

struct nadi_message_view nadi_messages_get(const struct nadi_diags *messages, size_t index)
{
    NADI_ASSERT(index < messages->count);
    const struct nadi_diag *d = &messages->items[index];
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

char *nadi_message_format(const struct nadi_diags *messages, size_t index)
{
    NADI_ASSERT(index < messages->count);
    struct nadi_str text = NADI_STR_INIT;
    nadi_diag_format(&messages->items[index], &text);
    nadi_str_add(&text, "");
    return text.text;
}
