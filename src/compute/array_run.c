#include "compute/array_run.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- configuration --------------------------------------------------------------------------- */

static const char *const keys[] = {"ArrayHeight",    "ArrayWidth",    "IfmapSramSzkB",
                                   "FilterSramSzkB", "OfmapSramSzkB", "Dataflow"};

static bool take_dataflow(struct nadi_array *a, const char *word, const struct nadi_place *place,
                          struct nadi_diags *diags)
{
    static const struct {
        const char *word;
        enum nadi_dataflow dataflow;
    } words[] = {{"ws", NADI_WEIGHT_STATIONARY},
                 {"os", NADI_OUTPUT_STATIONARY},
                 {"is", NADI_INPUT_STATIONARY}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (nadi_str_equal(word, words[i].word)) {
            a->dataflow = words[i].dataflow;
            return true;
        }
    return nadi_error(diags, "array/dataflow", *place, "ws, os or is", "no dataflow is called '%s'",
                      word);
}

static bool take(struct nadi_array *a, const char *key, const char *value,
                 const struct nadi_place *place, struct nadi_diags *diags)
{
    uint64_t number;
    if (strcasecmp(key, keys[5]) == 0)
        return take_dataflow(a, value, place, diags);
    for (int i = 0; i < 5; i++) {
        if (strcasecmp(key, keys[i]) != 0)
            continue;
        const uint64_t most = i < 2 ? 1 << 16 : UINT64_C(1) << 32;
        if (!nadi_str_to_u64(value, &number) || number == 0 || number > most)
            return nadi_error(diags, "array/number", *place, NULL,
                              "'%s' must be a whole number from 1 to %" PRIu64 ", found '%s'",
                              keys[i], most, value);
        if (i == 0)
            a->rows = number;
        else if (i == 1)
            a->columns = number;
        else
            a->buffers[i - 2] = (double)number * 1024;
    }
    return true;
}

/* Without blanks around it; cut in place. */
static char *trimmed(char *text)
{
    char *end = text + strlen(text);
    while (end > text && strchr(" \t\r", end[-1]))
        *--end = '\0';
    return text + strspn(text, " \t\r");
}

bool nadi_array_parse_config(struct nadi_array *a, const char *path, char *text,
                             struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(path);
    a->rows = a->columns = 0;
    for (char *line = text, *next; *line; line = next) {
        char *end = line + strcspn(line, "\n");
        next = *end ? end + 1 : end;
        *end = '\0';
        place.line++;
        char *value = line + strcspn(line, ":=");
        if (!*value)
            continue;
        *value++ = '\0';
        if (!take(a, trimmed(line), trimmed(value), &place, diags))
            return false;
    }
    if (a->rows && a->columns)
        return true;
    return nadi_error(diags, "array/missing", NADI_IN_FILE(path), "for example 32",
                      "'%s' is missing", a->rows ? keys[1] : keys[0]);
}

bool nadi_array_read_config(struct nadi_array *a, const char *path, struct nadi_diags *diags)
{
    char *text = NULL;
    size_t bytes;
    const bool ok = nadi_file_read(path, "a SCALE-sim configuration", &text, &bytes, diags) &&
                    nadi_array_parse_config(a, path, text, diags);
    nadi_mem_free(text);
    return ok;
}

/* ---- a layer ----------------------------------------------------------------------------------
 */

/* Bytes that cross the chip's edge for an operand of `values` that the array reads `reads` times.
 */
static double operand_bytes(const struct nadi_array *a, int buffer, uint64_t values, uint64_t reads)
{
    const double whole = (double)values * a->element_bytes;
    const bool fits = !(a->buffers[buffer] > 0) || whole <= a->buffers[buffer];
    return fits ? whole : (double)reads * a->element_bytes;
}

struct nadi_array_layer nadi_array_run(const struct nadi_array *a, const struct nadi_layer_shape *s)
{
    struct nadi_array_layer l = {
        .shape = s, .run = nadi_systolic(a->rows, a->columns, a->dataflow, s->m, s->n, s->k)};
    struct nadi_systolic_run *r = &l.run;
    const uint64_t input = s->input_values / s->count;
    const double results = (double)s->m * (double)s->n * a->element_bytes;
    const bool kept = !(a->buffers[2] > 0) || results <= a->buffers[2];
    l.off_chip_bytes =
        operand_bytes(a, 0, input < r->input_reads ? input : r->input_reads, r->input_reads) +
        operand_bytes(a, 1, s->k * s->n, r->weight_reads) +
        (kept ? results : (double)(r->output_writes + r->output_reads) * a->element_bytes);
    l.off_chip_bytes *= (double)s->count;
    r->cycles *= s->count;
    r->folds *= s->count;
    r->input_reads *= s->count;
    r->weight_reads *= s->count;
    r->output_writes *= s->count;
    r->output_reads *= s->count;
    l.ns = (double)r->cycles / a->clock_hz * 1e9;
    return l;
}
