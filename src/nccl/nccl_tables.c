#include "nccl/nccl_tables.h"

#include <math.h>

#include "base/str.h"

/* Volta, Ampere, Hopper, Blackwell; what a version does not know has the row before it. */
#define LL_217                                                                                     \
    {                                                                                              \
        {39, 39, 20.4}, {87.7, 22.5, 19}, {87.7, 22.5, 19},                                        \
        {                                                                                          \
            87.7, 22.5, 19                                                                         \
        }                                                                                          \
    }
#define LL_221                                                                                     \
    {                                                                                              \
        {39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35},                                           \
        {                                                                                          \
            141, 45, 35                                                                            \
        }                                                                                          \
    }
#define LL_225                                                                                     \
    {                                                                                              \
        {39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35},                                           \
        {                                                                                          \
            282, 90, 70                                                                            \
        }                                                                                          \
    }
#define TREE_LL128_218                                                                             \
    {                                                                                              \
        {20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29},                                              \
        {                                                                                          \
            36.7, 36.7, 29                                                                         \
        }                                                                                          \
    }
#define TREE_LL128_225                                                                             \
    {                                                                                              \
        {20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29},                                              \
        {                                                                                          \
            73.4, 73.4, 58                                                                         \
        }                                                                                          \
    }
#define TREE_LL128_228                                                                             \
    {                                                                                              \
        {20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29},                                              \
        {                                                                                          \
            55.6, 31.67, 20                                                                        \
        }                                                                                          \
    }
#define TREE_218                                                                                   \
    {                                                                                              \
        {26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36},                                      \
        {                                                                                          \
            38.7, 41.4, 36                                                                         \
        }                                                                                          \
    }
#define TREE_225                                                                                   \
    {                                                                                              \
        {26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36},                                      \
        {                                                                                          \
            77.4, 82.8, 72                                                                         \
        }                                                                                          \
    }
#define TREE_228                                                                                   \
    {                                                                                              \
        {26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36},                                      \
        {                                                                                          \
            70, 42.8, 24                                                                           \
        }                                                                                          \
    }
#define PCIE(simple)                                                                               \
    {                                                                                              \
        {1.0, 2.5, 5.7},                                                                           \
        {                                                                                          \
            1.0, 1.9, simple                                                                       \
        }                                                                                          \
    }
/* What rows have in common: from a version on, until it changes. */
#define FROM_219                                                                                   \
    .base = {{6.6, 14.0, 8.4}, {6.8, 14.0, 0}}, .nvlink = {{0.6, 1.9, 3.4}, {0.6, 1.25, 28}},      \
    .pcie = PCIE(28), .net = {{2.7, 4.0, 14.0}, {5.0, 8.5, 28}}, .switch_net = 18, .tree_net = 14
#define FROM_223                                                                                   \
    .base = {{6.6, 14.0, 8.4}, {6.8, 14.0, 8.4}}, .nvlink = {{0.6, 1.9, 3.4}, {0.6, 1.25, 4}},     \
    .pcie = PCIE(4), .net = {{2.7, 4.0, 14.0}, {5.0, 8.5, 14}}, .in_switch = 25, .switch_net = 18, \
    .ll_share = {1 / 2.0, 1 / 2.0}
#define TREES_218 .ring_ll128 = {20, 20, 36.7, 36.7}, .tree_ll128 = TREE_LL128_218, .tree = TREE_218

static const struct nadi_nccl_tables tables[] = {
    {.since = 200,
     .base = {{3.6, 10.0, 8.4}, {4.4, 4.4, 0}},
     .nvlink = {{0.47, 1.9, 3.4}, {0.52, 1.25, 28}},
     .pcie = PCIE(28),
     .net = {{2.7, 4.0, 9.6}, {5.0, 8.5, 28}},
     .in_switch = 23,
     .switch_net = 18,
     .tree_net = 19,
     .ll_share = {1 / 4.0, 1 / 3.0},
     .ll_most = LL_217,
     .ring_ll128 = {20, 20, 20, 20},
     .tree_ll128 = {{20, 20, 20}, {20, 20, 20}, {20, 20, 20}, {20, 20, 20}},
     .tree = {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {24, 23.6, 17.8}, {24, 23.6, 17.8}}},
    {.since = 218,
     .base = {{6.6, 14.0, 8.4}, {6.8, 14.0, 0}},
     .nvlink = {{0.6, 1.9, 3.4}, {0.6, 1.25, 4}},
     .pcie = PCIE(6),
     .net = {{2.7, 4.0, 14.0}, {5.0, 8.5, 14}},
     .in_switch = 23,
     .switch_net = 18,
     .tree_net = 19,
     .ll_share = {1 / 4.0, 1 / 3.0},
     .ll_most = LL_217,
     TREES_218},
    {.since = 219,
     FROM_219,
     .in_switch = 23,
     .ll_share = {1 / 4.0, 1 / 3.0},
     .ll_most = LL_217,
     TREES_218},
    {.since = 221,
     FROM_219,
     .in_switch = 25,
     .ll_share = {1 / 2.0, 1 / 2.0},
     .ll_most = LL_221,
     TREES_218},
    {.since = 223, FROM_223, .tree_net = 14, .ll_most = LL_221, TREES_218},
    {.since = 225,
     FROM_223,
     .tree_net = 14,
     .ll_most = LL_225,
     .ring_ll128 = {20, 20, 36.7, 73.4},
     .tree_ll128 = TREE_LL128_225,
     .tree = TREE_225},
    {.since = 228,
     FROM_223,
     .tree_net = 14,
     .ll_most = LL_225,
     .ring_ll128 = {20, 20, 36.7, 73.4},
     .tree_ll128 = TREE_LL128_228,
     .tree = TREE_228,
     .switch_tree = {[2] = {0, 57.7, 45.5}, [3] = {0, 96, 43.1}},
     .switch_shares = true},
    {.since = 229,
     FROM_223,
     .tree_net = 20.9,
     .ll_most = LL_225,
     .ring_ll128 = {20, 20, 36.7, 34.5},
     .tree_ll128 = TREE_LL128_228,
     .tree = TREE_228,
     .switch_tree = {[2] = {0, 57.7, 45.5}, [3] = {0, 96, 43.8}},
     .switch_shares = true,
     .tree_factor_in_switch = true},
    {.since = 230,
     FROM_223,
     .tree_net = 20.9,
     .ll_most = LL_225,
     .ring_ll128 = {20, 20, 36.7, 40},
     .tree_ll128 = TREE_LL128_228,
     .tree = TREE_228,
     .switch_tree = {[2] = {0, 57.7, 45.5}, [3] = {0, 96, 80}},
     .switch_shares = true,
     .tree_factor_in_switch = true},
};

const struct nadi_nccl_tables *nadi_nccl_tables(uint32_t version)
{
    const struct nadi_nccl_tables *t = tables;
    for (size_t i = 1; i < sizeof(tables) / sizeof(tables[0]); i++)
        if (tables[i].since <= version)
            t = &tables[i];
    return t;
}

double nadi_nccl_tree_factor(enum nadi_comm_protocol protocol, double bytes)
{
    static const double by_size[NADI_COMM_PROTOCOLS][23] = {
        {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
        {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
        {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
         .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
    };
    const double at = bytes > 64 ? floor(log2(bytes / 64)) : 0;
    return at < 23 ? by_size[protocol][(int)at] : 1;
}

uint32_t nadi_nccl_version_of(const char *text)
{
    for (const char *at = strstr(text, "CCL"); at; at = strstr(at + 3, "CCL")) {
        const char *dot = strstr(at, "2.");
        uint64_t minor;
        if (dot && dot - at < 24 && nadi_str_take_u64(dot + 2, &minor) && minor < 100)
            return 200 + (uint32_t)minor;
    }
    return 0;
}
