#include "cli/trace_edit.h"

#include "base/str.h"
#include "cli/terminal.h"

#define AT(member) NADI_AT(struct nadi_cli_edit, member)

const struct nadi_setting nadi_cli_edit_options[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE|PREFIX",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(out),
     .doc = "Write there: a file or -; of several ranks a prefix or a name with {rank}; .gz and "
            ".zst are compressed"},
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "json"),
     .preset = "text",
     AT(format),
     .doc = "Form of the report on standard output (standard error with --out -)"},
    {.name = "quiet",
     .type = NADI_TYPE_FLAG,
     AT(quiet),
     .doc = "Only errors on standard error, no report in words"},
    {.name = NULL},
};

void nadi_cli_edit_apply(const struct nadi_cli_edit *values, const struct nadi_words *words,
                         struct nadi_trace_edit *edit)
{
    edit->inputs = (struct nadi_trace_inputs){words->items, (size_t)words->count};
    edit->output = values->out;
    edit->json = nadi_str_equal(values->format, "json");
}

int nadi_cli_edit_end(const void *values, enum nadi_status status, char *report,
                      struct nadi_diags *messages)
{
    const struct nadi_cli_edit *edit = values;
    if (edit->quiet && !nadi_str_equal(edit->format, "json")) {
        nadi_free(report);
        report = NULL;
    }
    if (report && nadi_str_equal(edit->out, "-")) {
        fputs(report, stderr);
        nadi_free(report);
        report = NULL;
    }
    return nadi_terminal_end(status, report, messages, edit->quiet);
}
