#include "peer/simgrid.h"

#include "base/mem.h"

#ifdef NADI_HAVE_SIMGRID

#include <fcntl.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct peer_case *current; /* of the child process */
static double *ends;              /* shared with the parent: by flow, then the CPU time */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static sg_host_t host_of(uint32_t number)
{
    char name[16];
    snprintf(name, sizeof(name), "h%" PRIu32, number);
    return sg_host_by_name(name);
}

static void send_one(int argc, char **argv)
{
    (void)argc;
    const unsigned long index = strtoul(argv[0], NULL, 10);
    const struct peer_flow *f = &current->flows[index];
    if (f->start_s > 0)
        sg_actor_sleep_until(f->start_s);
    sg_host_sendto(host_of(f->src), host_of(f->dst), f->bytes);
    ends[index] = simgrid_get_clock();
}

static bool first_of_pair(const struct peer_case *c, bool *seen, const struct peer_flow *f)
{
    bool *cell = &seen[(size_t)f->src * c->host_count + f->dst];
    const bool first = !*cell;
    *cell = true;
    return first;
}

static bool write_platform(const struct peer_case *c, const char *path)
{
    FILE *out = fopen(path, "w");
    bool *seen = NADI_ZNEW(bool, (size_t)c->host_count * c->host_count);
    if (!out)
        return false;
    fputs("<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n",
          out);
    for (uint32_t h = 0; h < c->host_count; h++)
        fprintf(out, "<host id=\"h%" PRIu32 "\" speed=\"1Gf\"/>\n", h);
    for (uint32_t l = 0; l < c->link_count; l++)
        fprintf(out,
                "<link id=\"l%" PRIu32 "\" bandwidth=\"%.17gBps\" latency=\"%.17gs\" "
                "sharing_policy=\"SHARED\"/>\n",
                l, c->links[l].bytes_per_s, c->links[l].latency_s);
    for (uint32_t i = 0; i < c->flow_count; i++) {
        const struct peer_flow *f = &c->flows[i];
        if (!first_of_pair(c, seen, f))
            continue;
        fprintf(out, "<route src=\"h%" PRIu32 "\" dst=\"h%" PRIu32 "\" symmetrical=\"NO\">", f->src,
                f->dst);
        for (uint32_t k = 0; k < f->hops; k++)
            fprintf(out, "<link_ctn id=\"l%" PRIu32 "\"/>", f->links[k]);
        fputs("</route>\n", out);
    }
    fputs("</zone></platform>\n", out);
    nadi_mem_free(seen);
    return fclose(out) == 0;
}

static void simulate(struct peer_case *c, const char *path)
{
    char gamma[64], word[16];
    char *words[] = {(char[]){"nadi"},
                     (char[]){"--log=root.thresh:critical"},
                     (char[]){"--cfg=network/model:CM02"},
                     (char[]){"--cfg=network/crosstraffic:0"},
                     (char[]){"--cfg=network/bandwidth-factor:1"},
                     (char[]){"--cfg=network/latency-factor:1"},
                     (char[]){"--cfg=network/weight-S:0"},
                     (char[]){"--cfg=maxmin/precision:1e-9"},
                     (char[]){"--cfg=surf/precision:1e-12"},
                     (char[]){"--cfg=contexts/stack-size:64"},
                     c->lazy ? (char[]){"--cfg=network/optim:Lazy"}
                             : (char[]){"--cfg=network/optim:Full"},
                     gamma,
                     NULL};
    int count = (int)(sizeof(words) / sizeof(words[0])) - 1;
    snprintf(gamma, sizeof(gamma), "--cfg=network/TCP-gamma:%.17g",
             c->window_bytes > 0 ? c->window_bytes : 1e30);
    current = c;
    simgrid_init(&count, words);
    simgrid_load_platform(path);
    for (uint32_t i = 0; i < c->flow_count; i++) {
        snprintf(word, sizeof(word), "%" PRIu32, i);
        const char *const arguments[] = {word, NULL};
        sg_actor_start_(sg_actor_init(word, host_of(c->flows[i].src)), send_one, 1, arguments);
    }
    const double begin = seconds();
    simgrid_run();
    ends[c->flow_count] = seconds() - begin;
}

bool peer_simgrid_available(void)
{
    return true;
}

bool peer_simgrid_run(struct peer_case *c)
{
    char path[] = "/tmp/nadi-simgrid-XXXXXX.xml";
    const size_t bytes = (c->flow_count + 1) * sizeof(*ends);
    int status = 1;
    const int file = mkstemps(path, 4);
    ends = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (file < 0 || ends == MAP_FAILED || close(file) != 0 || !write_platform(c, path))
        return false;
    for (uint32_t i = 0; i < c->flow_count; i++)
        ends[i] = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        simulate(c, path);
        _exit(0);
    }
    const bool done = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    unlink(path);
    for (uint32_t i = 0; i < c->flow_count; i++)
        c->flows[i].end_s = ends[i];
    c->cpu_s = ends[c->flow_count];
    munmap(ends, bytes);
    return done;
}

#else

bool peer_simgrid_available(void)
{
    return false;
}

bool peer_simgrid_run(struct peer_case *c)
{
    (void)c;
    return false;
}

#endif
