/* training_own: the reader's own runs, and any that are already plans: runs.csv with the columns
 * model, cluster, settings (of --set) and step_s (measured seconds), and optionally label and
 * source. Nothing is assumed. */
#include "base/str.h"
#include "calibrate/training_rows.h"

static const char *or_else(struct nadi_training_reader *r, const char *column, const char *absent)
{
    const char *text = nadi_row_text(r, column);
    return *text ? nadi_row_printf(r, "%s", text) : absent;
}

void nadi_read_own(struct nadi_training_reader *r)
{
    const char *model = or_else(r, "model", NULL), *cluster = or_else(r, "cluster", NULL);
    const char *settings = or_else(r, "settings", "");
    nadi_row_add(r, (struct nadi_training_row){
                        .source = or_else(r, "source", "runs.csv"),
                        .label = or_else(r, "label",
                                         nadi_row_printf(r, "%s, %s", model ? model : "?",
                                                         cluster ? cluster : "?")),
                        .model = model,
                        .cluster = cluster,
                        .settings = settings,
                        .step_s = nadi_row_number(r, "step_s"),
                        .fate = model && cluster ? NADI_ROW_USED : NADI_ROW_UNDER_SPECIFIED,
                        .left_out = !model     ? "the model"
                                    : !cluster ? "the cluster"
                                               : NULL,
                    });
}
