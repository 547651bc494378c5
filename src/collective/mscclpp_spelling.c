/* mscclpp_spelling: the names of an MSCCL++ execution plan's operations. */
#include "base/str.h"
#include "collective/mscclpp.h"

static const struct nadi_mscclpp_spelling spellings[] = {
    {.name = "nop"},
    {.name = "flush"},
    {"put", NADI_MSCCLPP_MOVE, true, false, false, false},
    {"pws", NADI_MSCCLPP_MOVE, true, false, true, false},
    {"pwsf", NADI_MSCCLPP_MOVE, true, false, true, false},
    {"ppkt", NADI_MSCCLPP_MOVE, true, true, false, false},
    {"rppkt", NADI_MSCCLPP_MOVE, true, true, false, false},
    {"get", NADI_MSCCLPP_MOVE, true, false, false, false},
    {"copy", NADI_MSCCLPP_MOVE, true, false, false, false},
    {"cpkt", NADI_MSCCLPP_MOVE, true, true, false, false},
    {"upkt", NADI_MSCCLPP_MOVE, true, true, false, false},
    {"tpkt", NADI_MSCCLPP_MOVE, true, false, false, false},
    {"re", NADI_MSCCLPP_MOVE, false, false, false, false},
    {"rc", NADI_MSCCLPP_MOVE, false, false, false, false},
    {"rs", NADI_MSCCLPP_MOVE, false, false, false, false},
    {"res", NADI_MSCCLPP_MOVE, false, false, false, false},
    {"rcs", NADI_MSCCLPP_MOVE, false, false, false, false},
    {"rre", NADI_MSCCLPP_MOVE, false, false, false, false},
    {"rrc", NADI_MSCCLPP_MOVE, false, false, false, false},
    {"rres", NADI_MSCCLPP_MOVE, false, false, false, false},
    {"rrcs", NADI_MSCCLPP_MOVE, false, false, false, false},
    {"rpkt", NADI_MSCCLPP_MOVE, false, true, false, false},
    {"repkt", NADI_MSCCLPP_MOVE, false, true, false, false},
    {"rcpkt", NADI_MSCCLPP_MOVE, false, true, false, false},
    {"recpkt", NADI_MSCCLPP_MOVE, false, true, false, false},
    {"rspkt", NADI_MSCCLPP_MOVE, false, true, false, false},
    {"respkt", NADI_MSCCLPP_MOVE, false, true, false, false},
    {"rcspkt", NADI_MSCCLPP_MOVE, false, true, false, false},
    {"recspkt", NADI_MSCCLPP_MOVE, false, true, false, false},
    {.name = "signal", .type = NADI_MSCCLPP_SIGNAL},
    {.name = "rsignal", .type = NADI_MSCCLPP_SIGNAL},
    {.name = "rlxsignal", .type = NADI_MSCCLPP_SIGNAL},
    {.name = "wait", .type = NADI_MSCCLPP_WAIT},
    {.name = "rwait", .type = NADI_MSCCLPP_WAIT},
    {.name = "rlxwait", .type = NADI_MSCCLPP_WAIT},
    {.name = "barrier", .type = NADI_MSCCLPP_BARRIER},
    {.name = "sem_acquire", .type = NADI_MSCCLPP_ACQUIRE},
    {.name = "sem_release", .type = NADI_MSCCLPP_RELEASE},
    {"glre", NADI_MSCCLPP_MOVE, true, false, false, true},
    {"glres", NADI_MSCCLPP_MOVE, false, false, false, true},
    {"gstore", NADI_MSCCLPP_MOVE, true, false, false, true},
    {"gstorepkt", NADI_MSCCLPP_MOVE, true, true, false, true},
};

const struct nadi_mscclpp_spelling *nadi_mscclpp_find(const char *name)
{
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
        if (nadi_str_equal(spellings[i].name, name))
            return &spellings[i];
    return NULL;
}
