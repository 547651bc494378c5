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

static char *skip_blanks(char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Ranks print a line in pieces, and each piece has its label: "-1[0]   1626.5". */
static void blank_copies(char *text, const char *label, size_t length)
{
    char copy[80];
    if (length >= sizeof(copy))
        return;
    memcpy(copy, label, length);
    copy[length] = '\0';
    for (char *at = text; (at = strstr(at, copy)); at += length)
        memset(at, ' ', length);
}

/* "[1,0]<stdout>:", "[0]", "[pod/worker-0]". */
static char *strip_brackets(char *text)
{
    char *end = strstr(text, ">:"), *close = strchr(text, ']');
    const bool marked = end && end - text < 40;
    if (!marked && (!close || close - text > 75))
        return text;
    end = marked ? end + 2 : close + 1;
    const char *rest = skip_blanks(end);
    if (!marked && *rest != '#' && !isdigit((unsigned char)*rest))
        return text;
    blank_copies(end, text, (size_t)(end - text));
    return end;
}

/* "node7: ", "0: ", "worker-0  | ". */
static char *strip_name(char *text)
{
    char *behind = text;
    while (isalnum((unsigned char)*behind) || (*behind && strchr("-_./", *behind)))
        behind++;
    if (behind == text)
        return text;
    char *bar = skip_blanks(behind);
    const bool has = (*behind == ':' && isspace((unsigned char)behind[1])) ||
                     (*bar == '|' && isspace((unsigned char)bar[1]));
    if (!has)
        return text;
    char *rest = skip_blanks((*behind == ':' ? behind : bar) + 1);
    return *rest == '#' || isdigit((unsigned char)*rest) ? rest : text;
}

/* Without what mpirun, srun and the logs of containers put before a line. */
static char *strip_label(char *text)
{
    text = strip_time(skip_blanks(text));
    text = *text == '[' ? strip_brackets(text) : strip_name(text);
    return strip_time(text);
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
