#include "trace/edit/report.h"

#include "base/mem.h"
#include "base/str.h"

void nadi_edit_report_init(struct nadi_edit_report *r)
{
    *r = (struct nadi_edit_report){0};
    nadi_strmap_init(&r->index);
}

void nadi_edit_report_release(struct nadi_edit_report *r)
{
    nadi_strmap_release(&r->index);
    nadi_mem_free(r->names.items);
    for (size_t i = 0; i < r->text_count; i++)
        nadi_mem_free(r->texts[i].text);
}

void nadi_edit_report_add(struct nadi_edit_report *r, const char *what, uint64_t number)
{
    size_t i = 0;
    while (i < r->figure_count && strcmp(r->figures[i].what, what) != 0)
        i++;
    NADI_ASSERT(i < NADI_REPORT_FIGURES);
    if (i == r->figure_count) {
        r->figures[i].what = what;
        r->figures[i].number = 0;
        r->figure_count++;
    }
    r->figures[i].number += number;
}

static struct nadi_report_name *find_name(struct nadi_edit_report *r, const char *name,
                                          size_t bytes)
{
    const char *kept;
    const uint32_t next = (uint32_t)r->names.count;
    const uint32_t at = nadi_strmap_put(&r->index, name, bytes, next, &kept);
    if (at == next) {
        struct nadi_report_name fresh = {.name = kept};
        NADI_PUSH(&r->names, fresh);
    }
    return &r->names.items[at];
}

void nadi_edit_report_text(struct nadi_edit_report *r, const char *what, const char *format, ...)
{
    struct nadi_str text = NADI_STR_INIT;
    va_list args;
    NADI_ASSERT(r->text_count < NADI_REPORT_TEXTS);
    va_start(args, format);
    nadi_str_vprintf(&text, format, args);
    va_end(args);
    r->texts[r->text_count].what = what;
    r->texts[r->text_count++].text = text.text;
}

void nadi_edit_report_word(struct nadi_edit_report *r, const char *title, const void *word,
                           size_t bytes, uint64_t ns)
{
    struct nadi_report_name *name = find_name(r, word, bytes);
    r->names_title = title;
    name->nodes++;
    name->ns += ns;
}

void nadi_edit_report_name(struct nadi_edit_report *r, const char *title,
                           const struct nadi_full_node *n, uint64_t ns)
{
    nadi_edit_report_word(r, title, n->name, n->name_bytes, ns);
}

void nadi_edit_report_merge_names(struct nadi_edit_report *r, const struct nadi_edit_report *from)
{
    for (size_t i = 0; i < from->names.count; i++) {
        const struct nadi_report_name *other = &from->names.items[i];
        struct nadi_report_name *name = find_name(r, other->name, strlen(other->name));
        r->names_title = from->names_title;
        name->nodes += other->nodes;
        name->ns += other->ns;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct nadi_report_name *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->nodes != y->nodes)
        return x->nodes < y->nodes ? 1 : -1;
    return strcmp(x->name, y->name);
}

void nadi_edit_report_sort(struct nadi_edit_report *r)
{
    if (r->names.count)
        qsort(r->names.items, r->names.count, sizeof(*r->names.items), by_time);
}
