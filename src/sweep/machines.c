#include "sweep/machines.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/str.h"

#include <errno.h>
#include <ftw.h>
#include <unistd.h>

#ifdef NADI_HAS_MPI

#include <mpi.h>

enum { TAG_WORK = 1, TAG_ROW, TAG_ASK, TAG_END, HOST_BYTES = 256, MOST_POINTS_SENT = 4096 };

bool nadi_machines_begin(struct nadi_machines *m, struct nadi_diags *diags)
{
    int begun = 0, threads = MPI_THREAD_FUNNELED;
    *m = (struct nadi_machines){.count = 1};
    MPI_Initialized(&begun);
    if (!begun && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads) != MPI_SUCCESS)
        return nadi_error(diags, "sweep/mpi", NADI_NOWHERE,
                          "mpirun -n 4 nadi sweep --mpi SPACE.yml", "Open MPI does not start");
    if (threads < MPI_THREAD_FUNNELED) {
        MPI_Finalize();
        return nadi_error(diags, "sweep/mpi", NADI_NOWHERE, "use an Open MPI that has threads",
                          "this Open MPI allows no threads beside the one that it talks to");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &m->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m->count);
    return true;
}

void nadi_machines_end(struct nadi_machines *m)
{
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended)
        MPI_Finalize();
    *m = (struct nadi_machines){.count = 1};
}

/* In parts: a count of MPI is an int. */
static void share_bytes(void *bytes, size_t count)
{
    enum { PART = 1 << 28 };
    for (size_t at = 0; at < count; at += PART)
        MPI_Bcast((char *)bytes + at, (int)nadi_min_u64(PART, count - at), MPI_BYTE, 0,
                  MPI_COMM_WORLD);
}

void nadi_machines_share(const struct nadi_machines *m, char **text, size_t *bytes)
{
    uint64_t size = *text ? *bytes : UINT64_MAX;
    share_bytes(&size, sizeof(size));
    if (size == UINT64_MAX) {
        *text = NULL;
        return;
    }
    if (m->rank > 0) {
        *text = NADI_NEW(char, size + 1);
        (*text)[size] = '\0';
        *bytes = size;
    }
    share_bytes(*text, size);
}

bool nadi_machines_agree(const struct nadi_machines *m, bool well)
{
    int mine = well, all = 0;
    (void)m;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

/* --- work ------------------------------------------------------------------------------------ */

struct message { /* a row on its way */
    struct nadi_point_row row;
    char host[HOST_BYTES];
};

struct work { /* points of a unit that are still to be run; none: the end */
    uint64_t count, points[MOST_POINTS_SENT];
};

struct handing { /* out, part by part, the unit that was taken last */
    const struct nadi_machines_work *of;
    const struct nadi_share_unit *unit; /* NULL: none has been taken */
    uint64_t at;
};

/* The next points that the store has not; none: all units are taken. */
static void next_points(struct handing *h, struct work *w)
{
    const struct nadi_share_order *order = h->of->order;
    for (w->count = 0; w->count == 0;) {
        if (!h->unit || h->at == h->unit->count) {
            const uint64_t unit = atomic_fetch_add(h->of->next, 1);
            if (unit >= order->unit_count)
                break;
            h->unit = &order->units[unit];
            h->at = 0;
        }
        for (; h->at < h->unit->count && w->count < MOST_POINTS_SENT; h->at++)
            if (!nadi_store_has(h->of->store, order->points[h->unit->first + h->at]))
                w->points[w->count++] = order->points[h->unit->first + h->at];
    }
}

static void send_work(const struct work *w, int to)
{
    MPI_Send(w, (int)(sizeof(uint64_t) * (w->count + 1)), MPI_BYTE, to, TAG_WORK, MPI_COMM_WORLD);
}

/* A core that only waits is another process's. */
static bool await(int from, int tag, MPI_Status *about)
{
    int waits = 0;
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &waits, about);
    if (!waits)
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    return waits != 0;
}

void nadi_machines_hand_out(const struct nadi_machines *m, const struct nadi_machines_work *work)
{
    struct work *w = NADI_NEW(struct work, 1);
    struct handing handing = {.of = work};
    struct message in;
    bool more = true;
    for (int working = m->count - 1; working > 0;) {
        MPI_Status about;
        if (!await(MPI_ANY_SOURCE, MPI_ANY_TAG, &about)) {
            more = more && work->take(work->context, NULL);
            continue;
        }
        MPI_Recv(&in, sizeof(in), MPI_BYTE, about.MPI_SOURCE, about.MPI_TAG, MPI_COMM_WORLD,
                 &about);
        if (about.MPI_TAG == TAG_ROW) {
            const struct nadi_store_row row = {
                .result = in.row, .host = in.host, .worker = (uint32_t)about.MPI_SOURCE};
            more = work->take(work->context, &row) && more;
            continue;
        }
        if (about.MPI_TAG == TAG_END) {
            working--;
            continue;
        }
        w->count = 0;
        if (more)
            next_points(&handing, w);
        send_work(w, about.MPI_SOURCE);
    }
    nadi_mem_free(w);
}

void nadi_machines_work(const struct nadi_machines *m, struct nadi_point_runner *runner)
{
    struct work *w = NADI_ZNEW(struct work, 1);
    struct message out = {.host = ""};
    MPI_Status about;
    (void)m;
    (void)gethostname(out.host, sizeof(out.host) - 1);
    do { /* it asks before it is idle: the answer is there when it is wanted */
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ASK, MPI_COMM_WORLD);
        for (uint64_t i = 0; i < w->count; i++) {
            nadi_point_run(runner, w->points[i], &out.row);
            MPI_Send(&out, sizeof(out), MPI_BYTE, 0, TAG_ROW, MPI_COMM_WORLD);
        }
        while (!await(0, TAG_WORK, &about))
            ;
        MPI_Recv(w, sizeof(*w), MPI_BYTE, 0, TAG_WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } while (w->count > 0);
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_END, MPI_COMM_WORLD);
    nadi_mem_free(w);
}

/* --- inputs ---------------------------------------------------------------------------------- */

static bool has_file(const char *path, const char *sha256)
{
    struct nadi_diags ignored;
    uint8_t hash[32];
    char text[65];
    uint64_t bytes;
    nadi_diags_init(&ignored);
    const bool read = nadi_file_exists(path) && nadi_file_sha256(path, hash, &bytes, &ignored);
    nadi_diags_release(&ignored);
    if (read)
        nadi_sha256_hex(hash, text);
    return read && strcmp(text, sha256) == 0;
}

/* A folder of its own, so deep that the inputs' "../" stay within. */
static bool enter(struct nadi_machines_folder *f, struct nadi_diags *diags)
{
    const char *tmp = getenv("TMPDIR");
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/nadi-sweep-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    bool ok = mkdtemp(path.text) != NULL;
    if (ok) {
        f->work = nadi_mem_copy(path.text, path.length + 1, 1);
        f->home = getcwd(NULL, 0);
        nadi_str_add(&path, "/1/2/3/4/5/6/7/8");
        ok = f->home && nadi_file_make_folder(nadi_str_get(&path), diags) &&
             chdir(nadi_str_get(&path)) == 0;
    }
    if (!ok)
        (void)nadi_error(diags, "sweep/folder", NADI_IN_FILE(nadi_str_get(&path)),
                         "set TMPDIR to a folder that can be written",
                         "no folder for the inputs can be made");
    nadi_str_release(&path);
    return ok;
}

static bool keep_file(const char *path, const char *text, size_t bytes, struct nadi_diags *diags)
{
    if (path[0] == '/')
        return nadi_error(diags, "sweep/path", NADI_IN_FILE(path), "name it relative to the space",
                          "an input by its absolute path, which this machine does not have");
    return nadi_file_make_parent(path, diags) && nadi_file_write(path, text, bytes, diags);
}

bool nadi_machines_inputs(const struct nadi_machines *m, const struct nadi_sweep_inputs *inputs,
                          struct nadi_machines_folder *folder, struct nadi_diags *diags)
{
    uint64_t count = inputs->count;
    bool ok = true, entered = false, all_here = true;
    *folder = (struct nadi_machines_folder){.home = NULL};
    share_bytes(&count, sizeof(count));
    for (int pass = 0; pass < 2; pass++) { /* does somebody lack a file? if so, all of them go */
        for (uint64_t i = 0; i < count; i++) {
            const struct nadi_sweep_file *f = m->rank == 0 ? &inputs->items[i] : NULL;
            char *path = f ? nadi_mem_copy(f->path, strlen(f->path) + 1, 1) : NULL;
            char *sha = f ? nadi_mem_copy(f->sha256, 65, 1) : NULL, *text = NULL;
            size_t path_bytes = path ? strlen(path) : 0, sha_bytes = 64, bytes = 0;
            nadi_machines_share(m, &path, &path_bytes);
            nadi_machines_share(m, &sha, &sha_bytes);
            if (pass == 0)
                all_here &= m->rank == 0 || has_file(path, sha);
            else {
                if (f)
                    ok &= nadi_file_read(path, "input", &text, &bytes, diags);
                nadi_machines_share(m, &text, &bytes);
                if (m->rank > 0 && !all_here) {
                    ok = ok && (entered || enter(folder, diags)) &&
                         keep_file(path, text, bytes, diags);
                    entered = true;
                }
                nadi_mem_free(text);
            }
            nadi_mem_free(path);
            nadi_mem_free(sha);
        }
        if (nadi_machines_agree(m, all_here))
            break;
    }
    return ok;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about;
    (void)kind;
    (void)at;
    return remove(path);
}

void nadi_machines_leave(struct nadi_machines_folder *f)
{
    if (f->home && chdir(f->home) != 0)
        errno = 0; /* the folder that the program began in is gone */
    if (f->work)
        (void)nftw(f->work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(f->home);
    nadi_mem_free(f->work);
    *f = (struct nadi_machines_folder){.home = NULL};
}

#else

bool nadi_machines_begin(struct nadi_machines *m, struct nadi_diags *diags)
{
    *m = (struct nadi_machines){.count = 1};
    return nadi_error(
        diags, "sweep/mpi", NADI_NOWHERE,
        "install Open MPI (libopenmpi-dev), build with cmake -D NADI_MPI=ON; or leave "
        "--mpi out: --threads uses the cores of this machine",
        "this nadi was built without Open MPI");
}

void nadi_machines_end(struct nadi_machines *m)
{
    (void)m;
}

void nadi_machines_share(const struct nadi_machines *m, char **text, size_t *bytes)
{
    (void)m;
    (void)text;
    (void)bytes;
}

bool nadi_machines_agree(const struct nadi_machines *m, bool well)
{
    (void)m;
    return well;
}

bool nadi_machines_inputs(const struct nadi_machines *m, const struct nadi_sweep_inputs *inputs,
                          struct nadi_machines_folder *folder, struct nadi_diags *diags)
{
    (void)m;
    (void)inputs;
    (void)folder;
    (void)diags;
    return true;
}

void nadi_machines_leave(struct nadi_machines_folder *folder)
{
    (void)folder;
}

void nadi_machines_hand_out(const struct nadi_machines *m, const struct nadi_machines_work *work)
{
    (void)m;
    (void)work;
}

void nadi_machines_work(const struct nadi_machines *m, struct nadi_point_runner *runner)
{
    (void)m;
    (void)runner;
}

#endif
