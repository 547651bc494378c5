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
    for (size_t i = 0; i < messages->count; i++) {
        const struct nadi_message_view m = nadi_messages_get(messages, i);
        add_message(j, &m);
    }
}

char *nadi_messages_json(const struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_json j;
    nadi_json_begin(&j, &text);
    nadi_json_object(&j, NULL);
    nadi_json_u64(&j, "errors", messages->errors);
    nadi_json_u64(&j, "warnings", messages->warnings);
    nadi_json_u64(&j, "notes", messages->notes);
    nadi_json_array(&j, "messages");
    nadi_messages_add_json(messages, &j);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    return text.text;
}
