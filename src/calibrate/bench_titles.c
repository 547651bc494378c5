/* bench_titles: what lines above printed tables say: of OSU's benchmarks, and of `nadi collective
 * bench`. */
#include "calibrate/bench_read.h"

/* What OSU measures besides collectives and messages between two ranks, by what its title says. */
bool nadi_bench_is_other_osu(const char *title)
{
    static const char *const others[] = {"MPI_", "Multi", "Neighbor", "Congestion", "Partition",
                                         "Init", "Hello", "Barrier",  "SHMEM",      "UPC"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strstr(title, others[i]))
            return true;
    return false;
}

/* "# Size  Overall(us)  Compute(us)  Pure Comm.(us)  Overlap(%)": of calls that do not block the
 * communication alone; else the first column. Names of columns end with a bracket. */
uint32_t nadi_bench_osu_column(const char *header)
{
    const char *pure = strstr(header, "Pure Comm");
    uint32_t column = 1;
    for (const char *at = header; pure && at < pure; at++)
        column += *at == ')';
    return column;
}

/* ---- nadi collective bench ------------------------------------------------------------------- */

bool nadi_bench_is_own(const char *text)
{
    return nadi_str_starts(text, "# nadi collective bench:");
}

/* The collective that a title begins with. */
static enum nadi_comm_kind kind_of(const char *text)
{
    char name[32] = "";
    const char *word = text + strspn(text, "# ");
    const size_t length = strcspn(word, ", ");
    if (text[0] != '#' || word[length] != ',' || length >= sizeof(name))
        return NADI_COMM_NONE;
    memcpy(name, word, length);
    return nadi_comm_kind_of(name);
}

bool nadi_bench_is_own_title(const char *text)
{
    return kind_of(text) != NADI_COMM_NONE;
}

void nadi_bench_own(struct nadi_bench_log *log, struct nadi_bench_facts *facts, const char *text)
{
    const char *comma = strchr(text, ','), *npus = strstr(text, " NPUs,");
    uint64_t ranks = 0;
    if (!nadi_bench_is_own(text)) {
        facts->kind = kind_of(text);
        comma += 1 + strspn(comma + 1, " ");
        facts->algorithm = nadi_arena_strndup(&log->arena, comma, strcspn(comma, "\r\n"));
        return;
    }
    while (npus && npus > text && npus[-1] >= '0' && npus[-1] <= '9')
        npus--;
    facts->ranks =
        npus && nadi_str_take_u64(npus, &ranks) && ranks < 10000000 ? (uint32_t)ranks : 0;
}
