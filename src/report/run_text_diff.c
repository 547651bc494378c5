#include "base/mem.h"
#include "base/units.h"
#include "report/ink.h"
#include "report/run_rows.h"
#include "report/run_text_inside.h"
#include "why/why.h"

#include <math.h>

static void diff_line(const struct nadi_run_text *t, const char *label, double before, double after)
{
    nadi_str_printf(t->out, "  %-*s", NADI_RUN_TEXT_LABEL, label);
    nadi_run_text_time(t, before);
    nadi_str_add(t->out, "  ");
    nadi_run_text_time(t, after);
    nadi_str_add(t->out, "  ");
    if (t->colour && fabs(after - before) > 0.5)
        nadi_ink(t->out, t->colour, after < before ? NADI_INK_GREEN : NADI_INK_RED);
    nadi_str_add(t->out, after > before + 0.5 ? "+" : after < before - 0.5 ? "-" : " ");
    char text[32];
    nadi_units_time(text, fabs(after - before));
    nadi_str_printf(t->out, "%10s", text);
    if (before > 0)
        nadi_str_printf(t->out, "  %+7.2f %%", 100 * (after / before - 1));
    nadi_str_add(t->out, t->colour ? "\x1b[0m\n" : "\n");
}

/* "all-reduce 109068288 B on 2": its bytes as elsewhere. Other labels are as they are. */
static const char *shown(const char *label, char room[128])
{
    const char *bytes = strchr(label, ' '), *rest = strstr(label, " B on ");
    char number[32];
    if (!bytes || !rest)
        return nadi_run_text_cause(label);
    snprintf(room, 128, "%.*s %s%s", (int)(bytes - label), label,
             nadi_units_bytes(number, strtod(bytes, NULL)), rest + strlen(" B"));
    return room;
}

/* Rows (label, ns) of both runs, those that differ most first. */
static bool diff_rows(const struct nadi_run_text *a, const struct nadi_run_text *b, const char *sql,
                      size_t most)
{
    struct nadi_run_pairs pairs;
    const bool ok = nadi_run_pairs_read(a->db, b->db, sql, &pairs, a->diags);
    char room[128];
    for (size_t i = 0; i < pairs.count && i < most; i++)
        diff_line(a, shown(pairs.items[i].label, room), pairs.items[i].before,
                  pairs.items[i].after);
    nadi_mem_free(pairs.items);
    return ok;
}

/* What the packets of two runs did; of a run without packets nothing is told. */
static bool diff_packets(const struct nadi_run_text *a, const struct nadi_run_text *b)
{
    static const struct {
        const char *label, *sql;
        bool is_time;
    } rows[] = {
        {"data packets", "select data from packets", false},
        {"sent again", "select retransmitted from packets", false},
        {"dropped", "select dropped from packets", false},
        {"trimmed", "select trimmed from packets", false},
        {"ECN marks", "select ecn_marks from packets", false},
        {"PFC pauses", "select pfc_pauses from packets", false},
        {"links paused, together", "select paused_ns from packets", true},
        {"longest queue, bytes", "select peak_queue_bytes from packets", false},
    };
    static const char counted[] = "select count(*) from packets";
    if (nadi_run_text_number(a, counted) < 1 || nadi_run_text_number(b, counted) < 1)
        return true;
    nadi_str_add_char(a->out, '\n');
    nadi_run_text_bold(a, "packets");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const double before = nadi_run_text_number(a, rows[i].sql),
                     after = nadi_run_text_number(b, rows[i].sql);
        if (rows[i].is_time && (before > 0 || after > 0))
            diff_line(a, rows[i].label, before, after);
        else if (before > 0 || after > 0)
            nadi_str_printf(a->out, "  %-*s%11.0f  %11.0f  %+11.0f\n", NADI_RUN_TEXT_LABEL,
                            rows[i].label, before, after, after - before);
    }
    return a->diags->errors == 0 && b->diags->errors == 0;
}

static void diff_bytes(const struct nadi_run_text *t, const struct nadi_run_pair *p)
{
    char before[32], after[32], by[32];
    nadi_str_printf(t->out, "  %-*s%11s  %11s  %s%10s", NADI_RUN_TEXT_LABEL, p->label,
                    nadi_units_bytes(before, p->before), nadi_units_bytes(after, p->after),
                    p->after > p->before   ? "+"
                    : p->after < p->before ? "-"
                                           : " ",
                    nadi_units_bytes(by, fabs(p->after - p->before)));
    if (p->before > 0)
        nadi_str_printf(t->out, "  %+7.2f %%", 100 * (p->after / p->before - 1));
    nadi_str_add_char(t->out, '\n');
}

static bool diff_tiers(const struct nadi_run_text *a, const struct nadi_run_text *b)
{
    static const char counted[] = "select count(*) from tiers where requests > 0 or peak_bytes > 0";
    struct nadi_run_pairs pairs;
    if (nadi_run_text_number(a, counted) + nadi_run_text_number(b, counted) < 1)
        return true;
    nadi_str_add_char(a->out, '\n');
    nadi_run_text_bold(a, "memory tiers and their links");
    const bool ok = nadi_run_pairs_read(a->db, b->db, NADI_RUN_TIER_BYTES_SQL, &pairs, a->diags);
    for (size_t i = 0; i < pairs.count; i++)
        if (pairs.items[i].before > 0 || pairs.items[i].after > 0)
            diff_bytes(a, &pairs.items[i]);
    nadi_mem_free(pairs.items);
    return ok && diff_rows(a, b, NADI_RUN_TIER_TIMES_SQL, SIZE_MAX);
}

struct setting_lines {
    const struct nadi_run_text *t;
    size_t shown;
};

static void setting_line(void *context, const char *key, const char *before, const char *after)
{
    struct setting_lines *lines = context;
    if (lines->shown++ == 0) {
        nadi_str_add_char(lines->t->out, '\n');
        nadi_run_text_bold(lines->t, "settings that differ");
    }
    nadi_str_printf(lines->t->out, "  %-32s %.60s -> %.60s\n", key, before ? before : "(not set)",
                    after ? after : "(not set)");
}

static bool diff_settings(const struct nadi_run_text *a, const struct nadi_run_text *b)
{
    struct setting_lines lines = {.t = a};
    return nadi_run_settings(a->db, b->db, setting_line, &lines, a->diags);
}

#define COLLECTIVES "select count(*) from collectives"

bool nadi_run_diff(const char *first, const char *second, bool colour, struct nadi_str *out,
                   struct nadi_diags *diags)
{
    struct nadi_run_text a, b = {0};
    bool ok = nadi_run_text_open(&a, first, colour, out, diags) &&
              nadi_run_text_open(&b, second, colour, out, diags);
    if (ok) {
        nadi_run_text_heading(&a, first);
        nadi_run_text_interval(&a);
        nadi_run_text_heading(&b, second);
        nadi_run_text_interval(&b);
        nadi_str_printf(out, "\n  %-*s%11s  %11s  %11s\n", NADI_RUN_TEXT_LABEL, "", "first",
                        "second", "difference");
        diff_line(&a, "end to end", a.end_ns, b.end_ns);
        nadi_str_add_char(out, '\n');
        nadi_run_text_bold(&a, "critical path, by cause");
        ok = diff_rows(&a, &b, NADI_RUN_CAUSES_SQL, NADI_CAUSES);
        nadi_str_add_char(out, '\n');
        nadi_run_text_bold(&a, "mean of the ranks");
        ok = ok && diff_rows(&a, &b, NADI_RUN_MEAN_SQL, NADI_CAUSES);
        if (nadi_run_text_number(&a, COLLECTIVES) + nadi_run_text_number(&b, COLLECTIVES) > 0) {
            nadi_str_add_char(out, '\n');
            nadi_run_text_bold(&a, "collectives, their times added up");
        }
        ok = ok && diff_rows(&a, &b, NADI_RUN_COLLECTIVES_SQL, 10);
        ok = ok && diff_packets(&a, &b) && diff_tiers(&a, &b) && diff_settings(&a, &b);
    }
    nadi_database_close(a.db);
    nadi_database_close(b.db);
    return ok;
}
