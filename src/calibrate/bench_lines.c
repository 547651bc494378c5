/* bench_lines: the lines of benchmarks' printed output, without what launchers put before them. */
#include <ctype.h>

#include "calibrate/bench_read.h"

static void split(struct nadi_bench_line *line)
{
    char *at = line->copy;
    line->count = 0;
    while (line->count < NADI_BENCH_WORDS) {
        while (*at && isspace((unsigned char)*at))
            *at++ = '\0';
        if (!*at)
            return;
        line->words[line->count++] = at;
        while (*at && !isspace((unsigned char)*at))
            at++;
    }
}

static bool has_form(const char *at, const char *form)
{
    for (size_t i = 0; form[i]; i++)
        if (form[i] == 'd' ? !isdigit((unsigned char)at[i]) : at[i] != form[i])
            return false;
    return true;
}

/* Behind "2026-01-31T12:00:00.5Z ", "12:00:00 ", as container and CI logs begin their lines. */
static char *strip_time(char *at)
{
    if (!has_form(at, "dddd-dd-ddTdd:dd:dd") && !has_form(at, "dd:dd:dd "))
        return at;
    at += strcspn(at, " \t");
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Without what mpirun and srun put before a line: "[1,0]<stdout>:", "node7: ", "0: ". */
static char *strip_label(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *at = text = strip_time(text);
    if (*at == '[') {
        char *end = strstr(at, ">:");
        return end && end - at < 40 ? end + 2 : text;
    }
    char *colon = at;
    while (isalnum((unsigned char)*colon) || *colon == '-' || *colon == '_' || *colon == '.')
        colon++;
    if (colon == at || *colon != ':' || !isspace((unsigned char)colon[1]))
        return text;
    char *rest = colon + 1;
    while (isspace((unsigned char)*rest))
        rest++;
    return *rest == '#' || isdigit((unsigned char)*rest) ? rest : text;
}

/* The line at `*at`, cut at blanks; `*at` goes on. The two buffers hold it until the next. */
static struct nadi_bench_line next_line(const char **at, const char *end, struct nadi_str *copy,
                                        struct nadi_str *words)
{
    struct nadi_bench_line line = {.number = 0};
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    stop = stop ? stop : end;
    nadi_str_clear(copy);
    nadi_str_clear(words);
    nadi_str_add_bytes(copy, *at, (size_t)(stop - *at));
    nadi_str_add(copy, "");
    line.text = strip_label(copy->text);
    nadi_str_add(words, line.text);
    line.copy = words->text;
    split(&line);
    *at = stop + 1;
    return line;
}

bool nadi_bench_each_line(const char *text, size_t bytes, nadi_bench_line_fn *visit, void *context)
{
    struct nadi_str copy = NADI_STR_INIT, words = NADI_STR_INIT;
    bool ok = true;
    uint32_t number = 0;
    for (const char *at = text, *end = text + bytes; ok && at < end;) {
        struct nadi_bench_line line = next_line(&at, end, &copy, &words);
        line.number = ++number;
        ok = line.count == 0 || visit(context, &line);
    }
    nadi_str_release(&copy);
    nadi_str_release(&words);
    return ok;
}
