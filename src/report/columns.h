/* columns: the tables of results as data. A table's columns stand in one list of rows: name, what
 * has it, unit, meaning, and where its value comes from: a member of the struct that a row of the
 * table is made of, or a function. Headers and rows of CSV files, tables of run.db, rows of
 * summary.json and the reference page follow from the list; a new column is one row of it.
 *
 * What a table is written to is a view: a CSV file, a table of the database, a list in the summary.
 * Each view is a bit; a column says by its bits which views have it. */
#ifndef NADI_REPORT_COLUMNS_H
#define NADI_REPORT_COLUMNS_H

#include "cost/bill.h"
#include "format/csv_write.h"
#include "format/database.h"
#include "format/json_write.h"
#include "report/detail.h"
#include "report/phase_plans.h"
#include "report/topo_draw.h"
#include "report/traffic.h"
#include "sim/result.h"
#include "why/sensitivity.h"
#include "why/why.h"

#include <assert.h>

/* What is tabulated. What a table does not need may be NULL. */
struct nadi_result_data {
    const struct nadi_inputs *in;
    const struct nadi_result *r;
    const struct nadi_why *why;
    const struct nadi_sensitivities *sensitivities; /* NULL: none were asked for */
    const struct nadi_detail *detail;               /* NULL: everything */
    const char *summary; /* the text of summary.json but for its index of files */
    const struct nadi_topo_drawing *drawing;
    struct nadi_phase_plans *phases; /* those that `ops` has found so far */
    const struct nadi_traffic *traffic;
    const struct nadi_bill *bill; /* NULL: no catalogue was named */
    const struct nadi_worth *worth;
};

/* ---- columns ------------------------------------------------------------------------------- */

enum nadi_cell_form {
    NADI_CELL_EMPTY, /* nothing; null */
    NADI_CELL_U64,   /* in the database: above 2^63-1 null */
    NADI_CELL_U32,
    NADI_CELL_U16,
    NADI_CELL_INDEX, /* 32 bits; NADI_NONE: nothing */
    NADI_CELL_I64,
    NADI_CELL_FLAG, /* 1 or 0; in JSON true or false */
    NADI_CELL_REAL, /* not finite: nothing */
    NADI_CELL_TEXT, /* NULL: nothing */
};

struct nadi_cell {
    enum nadi_cell_form form;
    union {
        uint64_t count;
        int64_t integer;
        double real;
        const char *text; /* valid until the row is written */
    };
};

struct nadi_result_row {
    const struct nadi_result_data *of;
    const void *item, *more; /* the structs that it is made of */
    uint64_t index;          /* the number of the row, or of its item */
    char text[2][64];        /* for what functions write */
};

struct nadi_column {
    const char *name;
    unsigned in;  /* bits of the views that have it */
    unsigned key; /* of those tables of the database whose primary key it is */
    enum nadi_cell_form form;
    bool of_more; /* offset: into the row's `more`, else into its `item` */
    size_t offset;
    struct nadi_cell (*get)(struct nadi_result_row *row); /* instead of offset */
    const char *in_files; /* its name in CSV and JSON; NULL: the same as in the database */
    const char *unit;     /* where the name does not say it */
    const char *meaning;  /* NULL: of the column of the same name that stands elsewhere */
};

#define NADI_CELL_FORM(value)                                                                      \
    _Generic((value),                                                                              \
        uint64_t: NADI_CELL_U64,                                                                   \
        uint32_t: NADI_CELL_U32,                                                                   \
        uint16_t: NADI_CELL_U16,                                                                   \
        int64_t: NADI_CELL_I64,                                                                    \
        bool: NADI_CELL_FLAG,                                                                      \
        double: NADI_CELL_REAL,                                                                    \
        const char *: NADI_CELL_TEXT)

/* A member of the row's item, of its `more`; an index that may be NADI_NONE; a function. */
#define NADI_MEMBER(type, member)                                                                  \
    .form = NADI_CELL_FORM(((const struct type *)0)->member),                                      \
    .offset = offsetof(struct type, member)
#define NADI_MORE(type, member)       NADI_MEMBER(type, member), .of_more = true
#define NADI_INDEX(type, member)      .form = NADI_CELL_INDEX, .offset = offsetof(struct type, member)
#define NADI_GET(cell_form, function) .form = NADI_CELL_##cell_form, .get = function
/* Such a function: what an expression makes of the row; of its `item` or its `more`, called `name`.
 */
#define NADI_ROW_GETTER(function, cell)                                                            \
    static struct nadi_cell function(struct nadi_result_row *row)                                  \
    {                                                                                              \
        (void)row;                                                                                 \
        return cell;                                                                               \
    }                                                                                              \
    static_assert(true, "takes the semicolon")
#define NADI_GETTER(function, part, type, name, cell)                                              \
    static struct nadi_cell function(struct nadi_result_row *row)                                  \
    {                                                                                              \
        const struct type *name = row->part;                                                       \
        return cell;                                                                               \
    }                                                                                              \
    static_assert(true, "takes the semicolon")
/* The list of a view. */
#define NADI_COLUMNS(list) .columns = list, .column_count = sizeof(list) / sizeof(*(list))

static inline struct nadi_cell nadi_cell_u64(uint64_t count)
{
    return (struct nadi_cell){NADI_CELL_U64, {.count = count}};
}

static inline struct nadi_cell nadi_cell_index(uint32_t index)
{
    return (struct nadi_cell){index == NADI_NONE ? NADI_CELL_EMPTY : NADI_CELL_U64,
                              {.count = index}};
}

static inline struct nadi_cell nadi_cell_real(double real)
{
    return (struct nadi_cell){NADI_CELL_REAL, {.real = real}};
}

static inline struct nadi_cell nadi_cell_text(const char *text) /* NULL: nothing */
{
    return (struct nadi_cell){text ? NADI_CELL_TEXT : NADI_CELL_EMPTY, {.text = text}};
}

static inline struct nadi_cell nadi_cell_empty(void)
{
    return (struct nadi_cell){.form = NADI_CELL_EMPTY};
}

struct nadi_cell nadi_cell_row_number(struct nadi_result_row *row);

/* ---- views --------------------------------------------------------------------------------- */

struct nadi_rows;

enum nadi_view_form { NADI_VIEW_CSV, NADI_VIEW_FLOWS_CSV, NADI_VIEW_DATABASE, NADI_VIEW_JSON };

struct nadi_result_view {
    enum nadi_view_form form;
    const char *name;  /* "ranks.csv", "ranks" */
    const char *about; /* what a row is, and when there are rows */
    const struct nadi_column *columns;
    size_t column_count;
    unsigned bit;
    unsigned (*also)(const struct nadi_result_data *of); /* bits of more columns; or NULL */
    unsigned extra;                                      /* those that it may give */
    const char *title; /* of the section of the reference page: one view of each list has it */
    void (*put)(struct nadi_rows *rows); /* all rows, one after the other; JSON: NULL */
    const char *key;                     /* database: `primary key` of several columns; or NULL */
};

/* All views, in the order of the reference page and, of the database, of its tables. */
#define NADI_RESULT_VIEWS(VIEW)                                                                    \
    VIEW(runs)                                                                                     \
    VIEW(ranks_csv)                                                                                \
    VIEW(rank_classes_csv)                                                                         \
    VIEW(ranks)                                                                                    \
    VIEW(ranks_json)                                                                               \
    VIEW(memberships)                                                                              \
    VIEW(shares)                                                                                   \
    VIEW(links_csv)                                                                                \
    VIEW(dimensions)                                                                               \
    VIEW(links)                                                                                    \
    VIEW(dimensions_json)                                                                          \
    VIEW(bottlenecks_json)                                                                         \
    VIEW(drawing_boxes)                                                                            \
    VIEW(drawing_lines)                                                                            \
    VIEW(drawing_frames)                                                                           \
    VIEW(link_usage_csv)                                                                           \
    VIEW(link_usage)                                                                               \
    VIEW(devices_csv)                                                                              \
    VIEW(devices)                                                                                  \
    VIEW(packets)                                                                                  \
    VIEW(packets_json)                                                                             \
    VIEW(ports)                                                                                    \
    VIEW(stalls)                                                                                   \
    VIEW(pauses)                                                                                   \
    VIEW(samples)                                                                                  \
    VIEW(collectives_csv)                                                                          \
    VIEW(collectives)                                                                              \
    VIEW(collectives_json)                                                                         \
    VIEW(layers_csv)                                                                               \
    VIEW(layers)                                                                                   \
    VIEW(ops_csv)                                                                                  \
    VIEW(tiers_csv)                                                                                \
    VIEW(tiers)                                                                                    \
    VIEW(tiers_json)                                                                               \
    VIEW(tier_roles)                                                                               \
    VIEW(tier_levels)                                                                              \
    VIEW(memory_csv)                                                                               \
    VIEW(memory_requests)                                                                          \
    VIEW(ops)                                                                                      \
    VIEW(phases)                                                                                   \
    VIEW(messages)                                                                                 \
    VIEW(completions)                                                                              \
    VIEW(in_flight)                                                                                \
    VIEW(not_known)                                                                                \
    VIEW(spans)                                                                                    \
    VIEW(point_to_point)                                                                           \
    VIEW(critical_path_csv)                                                                        \
    VIEW(critical_path)                                                                            \
    VIEW(sensitivities_csv)                                                                        \
    VIEW(sensitivities)                                                                            \
    VIEW(bounds)                                                                                   \
    VIEW(bill_csv)                                                                                 \
    VIEW(bill)                                                                                     \
    VIEW(bill_json)                                                                                \
    VIEW(worth)                                                                                    \
    VIEW(hashing)                                                                                  \
    VIEW(hashing_json)                                                                             \
    VIEW(fabric)                                                                                   \
    VIEW(fabric_json)                                                                              \
    VIEW(energy)                                                                                   \
    VIEW(energy_json)                                                                              \
    VIEW(five_column_csv)                                                                          \
    VIEW(flows_csv)                                                                                \
    VIEW(flows_pfc_csv)                                                                            \
    VIEW(flows_ports_csv)                                                                          \
    VIEW(flows_queues_csv)                                                                         \
    VIEW(flows_links_csv)                                                                          \
    VIEW(flows_rates_csv)

/* The files of `nadi flows --out`, in the order in which they are written; up to NULL. */
extern const struct nadi_result_view *const nadi_flows_files[];

#define NADI_DECLARE_VIEW(name) extern const struct nadi_result_view nadi_view_##name;
NADI_RESULT_VIEWS(NADI_DECLARE_VIEW)
extern const struct nadi_result_view *const nadi_result_views[]; /* up to NULL */

/* ---- writing ------------------------------------------------------------------------------- */

struct nadi_rows { /* being written to a view */
    const struct nadi_result_view *view;
    const struct nadi_result_data *of;
    unsigned bits;
    struct nadi_csv csv;
    struct nadi_database *db;
};

void nadi_rows_put(struct nadi_rows *rows, struct nadi_result_row *row);
/* The same of an item that is a row by itself. */
void nadi_rows_item(struct nadi_rows *rows, const void *item, uint64_t index);

/* Rows of CSV without a header, appended to `out`. */
struct nadi_rows nadi_view_lines(const struct nadi_result_view *view,
                                 const struct nadi_result_data *of, struct nadi_str *out);
/* A CSV file, header and rows, appended to `out`. */
void nadi_view_csv(const struct nadi_result_view *view, const struct nadi_result_data *of,
                   struct nadi_str *out);
/* The members of an object that is open. */
void nadi_view_json(const struct nadi_result_view *view, struct nadi_result_row *row,
                    struct nadi_json *j);
/* Likewise of a dimension and of a link; `of` has inputs and result. */
void nadi_dimension_json(const struct nadi_result_data *of, uint32_t dimension,
                         struct nadi_json *j);
void nadi_tier_json(const struct nadi_result_data *of, uint32_t tier, struct nadi_json *j);
void nadi_bottleneck_json(const struct nadi_result_data *of, const struct nadi_link_result *l,
                          struct nadi_json *j);
/* The SQL that makes the tables of run.db; then their rows. */
void nadi_views_schema(struct nadi_str *out);
void nadi_views_database(const struct nadi_result_data *of, struct nadi_database *db);
/* The first table of run.db that the database lacks, or some column of it; NULL: it has all. */
const char *nadi_views_missing(struct nadi_database *db);
/* The reference page, as Markdown. */
void nadi_views_markdown(struct nadi_str *out);

#endif
