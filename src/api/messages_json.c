#include "api/messages_json.h"

#include "api/job.h"
#include "format/json_write.h"

static void add_message(struct nadi_json *j, const struct nadi_message_view *m)
{
    static const char *const levels[] = {"", "note", "warning", "error"};
    nadi_json_object(j, NULL);
    nadi_json_string(j, "level", levels[m->level]);
    nadi_json_string(j, "code", m->code);
    if (m->file)
        nadi_json_string(j, "file", m->file);
    if (m->line)
        nadi_json_u64(j, "line", m->line);
    if (m->line && m->column)
        nadi_json_u64(j, "column", m->column);
    if (m->offset != NADI_UNKNOWN_OFFSET)
        nadi_json_u64(j, "offset_bytes", m->offset);
    if (m->rank != NADI_UNKNOWN_RANK)
        nadi_json_u64(j, "rank", m->rank);
    if (m->node)
        nadi_json_string(j, "node", m->node);
    nadi_json_string(j, "text", m->text);
    if (m->hint)
        nadi_json_string(j, "hint", m->hint);
    nadi_json_close(j);
}

void nadi_messages_add_json(const struct nadi_diags *messages, struct nadi_json *j)
{
    for (size_t i = 0; i < nadi_messages_count(messages); i++) {
        const struct nadi_message_view m = nadi_messages_get(messages, i);
        add_message(j, &m);
    }
}
