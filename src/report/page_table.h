/* page_table: rows of a database as the page reads them. In page.c. */
#ifndef NADI_REPORT_PAGE_TABLE_H
#define NADI_REPORT_PAGE_TABLE_H

#include "base/str.h"
#include "format/database.h"

/* {"columns":["a","b"],"rows":[[1,"x"],...]} */
bool nadi_page_put_table(struct nadi_database *db, const char *sql, struct nadi_str *out,
                         struct nadi_diags *diags) NADI_MUST_USE;

#endif
