/* Any bytes as a catalogue: errors, or prices with which a bill adds up. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cost/bill.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct nadi_bill *b)
{
    double known = 0;
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_bill_line *l = &b->items[i];
        NADI_ASSERT(l->included || (l->part != NULL) != (l->wanted != NULL));
        NADI_ASSERT(!(l->price < 0) && !(l->watts < 0) && !(l->idle > l->watts));
        known += isnan(l->price) ? 0 : l->price;
    }
    NADI_ASSERT(isnan(b->price) == (b->unpriced > 0));
    NADI_ASSERT(!(fabs(known - b->known_price) > 1e-6 * known));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_prices p;
    struct nadi_economy e;
    char path[40];
    const int fd = memfd_create("prices", 0);
    NADI_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    nadi_diags_init(&diags);
    nadi_economy_preset(&e);
    if (nadi_prices_open(&p, path, &diags)) {
        struct nadi_topology t = {
            .dim_count = 2,
            .dims = {
                {.kind = NADI_DIM_SWITCH, .npus = 8, .bytes_per_ns = 450, .oversubscription = 1},
                {.kind = NADI_DIM_SWITCH, .npus = 100, .bytes_per_ns = 50, .oversubscription = 1}}};
        const struct nadi_bill_subject s = {.device = "h100-sxm", .topology = &t, .npus = 800};
        struct nadi_bill b;
        NADI_ASSERT(nadi_topology_finish(&t));
        NADI_ASSERT(nadi_bill_make(&b, &s, &p, &e, &diags));
        check(&b);
        nadi_bill_release(&b);
    } else
        NADI_ASSERT(diags.errors > 0);
    nadi_prices_release(&p);
    close(fd);
    nadi_diags_release(&diags);
    return 0;
}
