/* Simulates one workload for several network bandwidths in one process and prints a table.
 *
 *   simulate WORKLOAD SYSTEM NETWORK...
 */
#include <nadi/nadi.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void show_messages(const struct nadi_job *job)
{
    const struct nadi_diags *messages = nadi_job_messages(job);
    for (size_t i = 0; i < nadi_messages_count(messages); i++) {
        char *text = nadi_message_format(messages, i);
        fputs(text, stderr);
        nadi_free(text);
    }
}

static int simulate(const struct nadi_setup *setup)
{
    struct nadi_job *job = nadi_job_create(setup);
    enum nadi_status status = nadi_job_load(job);
    if (status == NADI_STATUS_DONE)
        status = nadi_job_run(job, NULL);
    if (status == NADI_STATUS_DONE) {
        const struct nadi_rank_times rank = nadi_job_rank(job, 0);
        printf("%-16s %12" PRIu64 " ns, of rank 0 computing %" PRIu64 " ns\n", setup->network,
               nadi_job_end_ns(job), rank.compute_ns);
    } else {
        show_messages(job);
    }
    nadi_job_destroy(job);
    return (int)status;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: simulate WORKLOAD SYSTEM NETWORK...\n");
        return EXIT_FAILURE;
    }
    struct nadi_setup setup;
    nadi_setup_init(&setup);
    setup.workload = argv[1];
    setup.system = argv[2];
    for (int i = 3; i < argc; i++) {
        setup.network = argv[i];
        const int status = simulate(&setup);
        if (status != NADI_STATUS_DONE)
            return status;
    }
    return EXIT_SUCCESS;
}
