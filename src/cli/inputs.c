#include "cli/inputs.h"
#include "base/str.h"
#include "cli/stop.h"
#include "cli/terminal.h"

struct nadi_job *nadi_cli_job(const struct nadi_given *given, const char *network_model)
{
    struct nadi_job *job = nadi_terminal_must(nadi_job_create(NULL));
    char limit[32];
    for (size_t i = 0; i < given->count; i++) {
        const char *name = given->items[i].row->name;
        const bool is_model = network_model && nadi_str_equal(name, "network-model");
        const struct nadi_model_option *one = network_model ? nadi_model_option_find(name) : NULL;
        if (one && !nadi_str_equal(one->model, network_model))
            continue; /* another one of several models reads it */
        (void)nadi_job_set(job, name, is_model ? network_model : given->items[i].text);
    }
    snprintf(limit, sizeof(limit), "%" PRIu64 "ms", nadi_stop_wall_ms());
    (void)nadi_job_set(job, "max-wall", limit);
    return job; /* what was refused, loading says */
}

bool nadi_cli_claim(const char *folder, struct nadi_claim **claim)
{
    *claim = NULL;
    if (!folder)
        return true;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    *claim = nadi_claim_create(folder, messages);
    nadi_terminal_messages(messages, 0, true);
    const bool is_input = nadi_terminal_why(messages) == (int)NADI_STATUS_INPUT;
    nadi_messages_destroy(messages);
    if (!*claim && !is_input)
        nadi_terminal_must(NULL);
    return *claim != NULL;
}

void nadi_cli_print_files(const char *folder, const struct nadi_job *job)
{
    static const struct {
        const char *name, *remark;
    } apart[] = {
        {"timeline.pftrace", "open it in https://ui.perfetto.dev"},
        {"run.db", "for `nadi report` and `nadi query`"},
    };
    enum { APART = sizeof(apart) / sizeof(*apart) };
    bool there[APART] = {false}, of_ranks = false;
    const size_t length = strlen(folder);
    if (!nadi_job_file(job, 0).name)
        return; /* not all could be written: that was said */
    printf("\nfiles in %s%s\n ", folder, length && folder[length - 1] == '/' ? "" : "/");
    for (size_t i = 0; nadi_job_file(job, i).name; i++) {
        const struct nadi_file_view file = nadi_job_file(job, i);
        size_t at = 0;
        while (at < APART && strcmp(file.name, apart[at].name) != 0)
            at++;
        if (at < APART)
            there[at] = true;
        else if (file.is_of_one_rank)
            of_ranks = true;
        else
            printf(" %s", file.name);
    }
    putchar('\n');
    if (of_ranks)
        printf("  a Chrome trace of each rank's memory\n");
    for (size_t at = 0; at < APART; at++)
        if (there[at])
            printf("  %s: %s\n", apart[at].name, apart[at].remark);
}
