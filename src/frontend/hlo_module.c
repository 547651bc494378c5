#include "frontend/hlo_module.h"

#include "base/mem.h"
#include "base/time.h"

#include <ctype.h>

/* ---- parts of a text ----------------------------------------------------------------------- */

/* Behind a quoted text or a comment that begins there; otherwise behind one character. */
static const char *step(const char *at)
{
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"')
        return at + 1;
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

/* The first of `stops` outside of brackets, quotes and comments; the text's end where there is
 * none. */
static const char *find_outside(const char *at, const char *stops)
{
    int depth = 0;
    while (*at) {
        if (depth == 0 && strchr(stops, *at))
            return at;
        depth += *at == '(' || *at == '{' || *at == '[';
        depth -= *at == ')' || *at == '}' || *at == ']';
        if (depth < 0)
            return at;
        at = step(at);
    }
    return at;
}

static const char *skip_space(const char *at)
{
    for (;; at = step(at)) {
        at += strspn(at, " \t");
        if (at[0] != '/' || at[1] != '*')
            return at;
    }
}

/* ---- shapes -------------------------------------------------------------------------------- */

static void read_array(const char **at, const char *end, struct nadi_hlo_shape *sum, bool first)
{
    const char *c = *at;
    size_t length = 0;
    struct nadi_hlo_shape s = {.elements = 1};
    while (isalnum((unsigned char)c[length]))
        length++;
    const uint32_t bits = nadi_hlo_bits(c, length);
    c += length;
    *at = c;
    if (bits == 0 || *c != '[')
        return;
    for (c++; c < end && *c != ']';) {
        uint64_t size;
        c += strspn(c, "<=, ");
        const char *rest = nadi_str_take_u64(c, &size);
        if (!rest || s.rank == NADI_HLO_DIMS)
            break;
        s.dims[s.rank++] = size;
        s.elements = nadi_count_mul(s.elements, size);
        c = rest;
    }
    const uint64_t all = nadi_count_mul(s.elements, bits);
    const uint64_t elements = nadi_count_add(sum->elements, s.elements);
    s.first_bytes = all / 8 + (all % 8 != 0);
    const uint64_t bytes = nadi_count_add(sum->bytes, s.first_bytes);
    if (first)
        *sum = s;
    sum->elements = elements;
    sum->bytes = bytes;
    *at = c;
}

static void read_shape(const char *at, const char *end, struct nadi_hlo_shape *shape)
{
    *shape = (struct nadi_hlo_shape){0};
    bool first = true;
    while (at < end) {
        if (*at == '{') { /* a layout */
            at = find_outside(at + 1, "");
            at += *at == '}';
        } else if (isalpha((unsigned char)*at)) {
            const uint64_t before = shape->elements;
            read_array(&at, end, shape, first);
            first = first && shape->elements == before;
        } else {
            at = step(at);
        }
    }
}

/* ---- instructions -------------------------------------------------------------------------- */

static bool bad(const struct nadi_hlo_module *m, const char *at, const char *code, const char *what)
{
    return nadi_hlo_fail(&m->source, at, code, "the text of a compiled module, whole", what, at,
                         strcspn(at, "\n"));
}

static bool has_operands(const struct nadi_hlo_instruction *i)
{
    static const char *const without[] = {"parameter", "constant", "iota", NULL};
    return !nadi_hlo_is_any(i, without);
}

/* "f32[8]{0} %x, y": the last word of each part is the name of an earlier instruction. */
static bool read_operands(struct nadi_hlo_module *m, const struct nadi_strmap *names,
                          struct nadi_hlo_instruction *i)
{
    const char *at = i->arguments;
    i->first_operand = m->operands.count;
    while (has_operands(i)) {
        const char *end = find_outside(at, ","), *last = end;
        while (last > at && isspace((unsigned char)last[-1]))
            last--;
        const char *name = last;
        while (name > at && nadi_hlo_is_name(name[-1]))
            name--;
        if (name == last && *end == ')' && i->operand_count == 0 && skip_space(at) == end)
            return true; /* none */
        const uint32_t index = nadi_strmap_find(names, name, (size_t)(last - name));
        if (name == last || index == NADI_NONE)
            return bad(m, i->text, "hlo/operand", "an operand is no earlier instruction");
        NADI_PUSH(&m->operands, index);
        i->operand_count++;
        if (*end != ',')
            return *end == ')' || bad(m, i->text, "hlo/cut", "the operands have no end");
        at = end + 1;
    }
    return true;
}

/* "control-predecessors={%a, %b}" */
static bool read_waits(struct nadi_hlo_module *m, const struct nadi_strmap *names,
                       struct nadi_hlo_instruction *i)
{
    const char *at = nadi_hlo_attribute(i, "control-predecessors");
    while (at && *(at += strspn(at, "{%, ")) && *at != '}') {
        const size_t length = nadi_hlo_name_length(at);
        const uint32_t index = length ? nadi_strmap_find(names, at, length) : NADI_NONE;
        if (index == NADI_NONE)
            return bad(m, i->text, "hlo/operand", "it waits for no earlier instruction");
        NADI_PUSH(&m->operands, index);
        i->wait_count++;
        at += length;
    }
    return true;
}

/* "ROOT %r = f32[8]{0} add(%a, %b), attributes" */
static bool read_instruction(struct nadi_hlo_module *m, struct nadi_hlo_computation *c,
                             struct nadi_strmap *names, const char **text)
{
    struct nadi_hlo_instruction i = {.text = *text};
    const char *at = *text;
    const bool root = strncmp(at, "ROOT ", 5) == 0;
    at = skip_space(at + (root ? 5 : 0));
    at += *at == '%';
    i.name = at;
    i.name_length = (uint32_t)nadi_hlo_name_length(at);
    at = skip_space(at + i.name_length);
    if (i.name_length == 0 || *at != '=')
        return bad(m, *text, "hlo/instruction", "this is no instruction");
    at = skip_space(at + 1);
    const char *shape_end = find_outside(at, " \n");
    read_shape(at, shape_end, &i.shape);
    i.op = skip_space(shape_end);
    i.op_length = (uint32_t)nadi_hlo_name_length(i.op);
    if (i.op_length == 0 || i.op[i.op_length] != '(')
        return bad(m, *text, "hlo/instruction", "this is no instruction");
    i.arguments = i.op + i.op_length + 1;
    const char *close = find_outside(i.arguments, "");
    if (*close != ')')
        return bad(m, *text, "hlo/cut", "the instruction has no end");
    i.attributes = close + 1;
    i.end = find_outside(i.attributes, "\n");
    if (!read_operands(m, names, &i) || !read_waits(m, names, &i))
        return false;
    if (nadi_strmap_put(names, i.name, i.name_length, c->count, NULL) != c->count)
        return bad(m, *text, "hlo/name", "the name is taken");
    if (root)
        c->root = c->count;
    c->count++;
    NADI_PUSH(&m->instructions, i);
    *text = i.end;
    return true;
}

/* ---- computations -------------------------------------------------------------------------- */

/* From behind its "{" on; *text behind its "}". */
static bool read_computation(struct nadi_hlo_module *m, const char **text, const char *head,
                             bool entry)
{
    struct nadi_hlo_computation c = {
        .text = head, .first = m->instructions.count, .root = NADI_NONE};
    struct nadi_strmap names;
    const char *at = *text;
    bool ok = true;
    c.name = skip_space(head + (entry ? 6 : 0));
    c.name += *c.name == '%';
    c.name_length = (uint32_t)nadi_hlo_name_length(c.name);
    nadi_strmap_init(&names);
    while (ok && *(at += strspn(at, " \t\r\n")) != '}') {
        if (!*at)
            ok = bad(m, head, "hlo/cut", "the computation has no end");
        else if (at[0] == '/')
            at = at[1] == '*' ? step(at) : at + strcspn(at, "\n");
        else
            ok = read_instruction(m, &c, &names, &at);
    }
    nadi_strmap_release(&names);
    if (!ok)
        return false;
    if (c.count == 0 || c.name_length == 0)
        return bad(m, head, "hlo/computation", "this is no computation");
    if (c.root == NADI_NONE)
        c.root = c.count - 1;
    const uint32_t index = (uint32_t)m->computations.count;
    for (uint32_t i = 0; i < c.count; i++)
        c.work = nadi_count_add(c.work, nadi_hlo_work(m, &c, &m->instructions.items[c.first + i]));
    c.traffic = nadi_hlo_fused_traffic(m, &c);
    if (nadi_strmap_put(&m->names, c.name, c.name_length, index, NULL) != index)
        return bad(m, head, "hlo/name", "the name is taken");
    NADI_PUSH(&m->computations, c);
    if (entry)
        m->entry = index;
    *text = at + strcspn(at, "\n");
    return true;
}

static uint64_t said(const char *head, const char *end, const char *word)
{
    const char *at = memmem(head, (size_t)(end - head), word, strlen(word));
    uint64_t number;
    return at && nadi_str_take_u64(at + strlen(word), &number) && number ? number : 1;
}

bool nadi_hlo_module_read(struct nadi_hlo_module *m, const struct nadi_hlo_source *source)
{
    *m = (struct nadi_hlo_module){
        .source = *source, .replicas = 1, .partitions = 1, .entry = NADI_NONE};
    nadi_strmap_init(&m->names);
    const char *at = source->text;
    while (*(at += strspn(at, " \t\r\n"))) {
        const char *end = at + strcspn(at, "\n"), *last = end;
        while (last > at && isspace((unsigned char)last[-1]))
            last--;
        const bool entry = strncmp(at, "ENTRY ", 6) == 0;
        if (strncmp(at, "HloModule ", 10) == 0) {
            m->partitions = said(at, end, "num_partitions=");
            m->replicas = said(at, end, "replica_count=");
            m->scheduled = memmem(at, (size_t)(end - at), "is_scheduled=true", 17) != NULL;
        } else if (last > at && last[-1] == '{') {
            const char *body = last;
            if (!read_computation(m, &body, at, entry))
                return false;
            end = body;
        }
        at = end; /* other lines: tables of files and stack frames */
    }
    return m->entry != NADI_NONE ||
           nadi_hlo_fail(source, source->text, "hlo/entry",
                         "the text of a compiled module: compile().as_text(), or --xla_dump_to",
                         "there is no ENTRY computation", "HloModule", 9);
}

void nadi_hlo_module_release(struct nadi_hlo_module *m)
{
    nadi_mem_free(m->computations.items);
    nadi_mem_free(m->instructions.items);
    nadi_mem_free(m->operands.items);
    nadi_strmap_release(&m->names);
}

/* ---- questions ----------------------------------------------------------------------------- */

bool nadi_hlo_is(const struct nadi_hlo_instruction *i, const char *op)
{
    return strlen(op) == i->op_length && memcmp(op, i->op, i->op_length) == 0;
}

bool nadi_hlo_is_any(const struct nadi_hlo_instruction *i, const char *const *ops)
{
    while (*ops && !nadi_hlo_is(i, *ops))
        ops++;
    return *ops != NULL;
}

const char *nadi_hlo_attribute(const struct nadi_hlo_instruction *i, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = i->attributes; at < i->end;) {
        at += strspn(at, ", ");
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
        at = find_outside(at, ",\n");
        if (*at != ',')
            break;
    }
    return NULL;
}

uint32_t nadi_hlo_called(const struct nadi_hlo_module *m, const struct nadi_hlo_instruction *i,
                         const char *attribute)
{
    const char *at = nadi_hlo_attribute(i, attribute);
    if (!at)
        return NADI_NONE;
    at += *at == '{';
    at += *at == '%';
    return nadi_strmap_find(&m->names, at, nadi_hlo_name_length(at));
}

const struct nadi_hlo_instruction *nadi_hlo_operand(const struct nadi_hlo_module *m,
                                                    const struct nadi_hlo_computation *c,
                                                    const struct nadi_hlo_instruction *i,
                                                    uint32_t k)
{
    return &m->instructions.items[c->first + m->operands.items[i->first_operand + k]];
}
