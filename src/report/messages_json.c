#include "report/messages_json.h"

static void add_message(struct nadi_json *j, const struct nadi_diag *d)
{
    static const char *const levels[] = {
        [NADI_NOTE] = "note", [NADI_WARNING] = "warning", [NADI_ERROR] = "error"};
    const struct nadi_place *p = &d->place;
    nadi_json_object(j, NULL);
    nadi_json_string(j, "level", levels[d->severity]);
    nadi_json_string(j, "code", d->code);
    if (p->file)
        nadi_json_string(j, "file", p->file);
    if (p->line)
        nadi_json_u64(j, "line", p->line);
    if (p->line && p->column)
        nadi_json_u64(j, "column", p->column);
    if (p->offset != NADI_NO_OFFSET)
        nadi_json_u64(j, "offset_bytes", p->offset);
    if (p->rank != NADI_NONE)
        nadi_json_u64(j, "rank", p->rank);
    if (p->node)
        nadi_json_string(j, "node", p->node);
    nadi_json_string(j, "text", d->message);
    if (d->hint)
        nadi_json_string(j, "hint", d->hint);
    nadi_json_close(j);
}

void nadi_messages_add_json(const struct nadi_diags *messages, struct nadi_json *j)
{
    for (size_t i = 0; messages && i < messages->count; i++)
        add_message(j, &messages->items[i]);
    if (messages && messages->spare && messages->spare->used)
        add_message(j, &messages->spare->diag);
}

void nadi_messages_json_members(const struct nadi_diags *messages, struct nadi_json *j)
{
    nadi_json_u64(j, "errors", messages->errors);
    nadi_json_u64(j, "warnings", messages->warnings);
    nadi_json_u64(j, "notes", messages->notes);
    nadi_json_array(j, "messages");
    nadi_messages_add_json(messages, j);
    nadi_json_close(j);
}
