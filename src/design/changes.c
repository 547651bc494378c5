/* changes: what a point of the designs changes in files. */
#include "design/design.h"

#include "base/str.h"

void nadi_design_changes_init(struct nadi_design_changes *c, const struct nadi_design_problem *p)
{
    *c = (struct nadi_design_changes){0};
    nadi_arena_init(&c->arena);
    nadi_assignment_init(&c->assignment, &p->space);
}

void nadi_design_changes_take(struct nadi_design_changes *c, const struct nadi_design_problem *p,
                              uint64_t point)
{
    nadi_space_assign(&p->space, point, &c->assignment);
    nadi_design_changes_use(c, p);
}

void nadi_design_changes_use(struct nadi_design_changes *c, const struct nadi_design_problem *p)
{
    const struct nadi_space *s = &p->space;
    nadi_arena_release(&c->arena);
    nadi_arena_init(&c->arena);
    struct nadi_doc_change *items =
        NADI_ARENA_NEW(&c->arena, struct nadi_doc_change, s->variable_count);
    c->changes = (struct nadi_doc_changes){.items = items};
    c->cluster = nadi_space_word_of(s, "cluster");
    c->settings = "";
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const struct nadi_space_variable *v = &s->variables[i];
        const char *text = c->assignment.texts[i];
        if (!v->of || nadi_design_is_searched(v))
            continue;
        if (strcmp(v->of, "plan") == 0)
            c->settings = nadi_arena_printf(&c->arena, "%s %s=%s", c->settings, v->path, text);
        else if (strcmp(v->of, "run") != 0)
            items[c->changes.count++] = (struct nadi_doc_change){v->of, v->path, text};
        else if (strcmp(v->path, "cluster") == 0)
            c->cluster = text;
    }
}

void nadi_design_changes_release(struct nadi_design_changes *c)
{
    nadi_assignment_release(&c->assignment);
    nadi_arena_release(&c->arena);
}
