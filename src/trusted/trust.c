#include "trusted/trust.h"

const char *nadi_trust_name(enum nadi_trust t)
{
    static const char *const names[NADI_TRUSTS] = {
        [NADI_TRUST_OK] = "ok",
        [NADI_TRUST_PAGE_MAC] = "page-mac",
        [NADI_TRUST_TREE_MAC] = "tree-mac",
        [NADI_TRUST_CHANNEL_MAC] = "channel-mac",
        [NADI_TRUST_SEQUENCE] = "sequence",
        [NADI_TRUST_FORMAT] = "format",
        [NADI_TRUST_ATTESTATION] = "attestation",
        [NADI_TRUST_OWNER] = "owner",
        [NADI_TRUST_GENERATION] = "generation",
        [NADI_TRUST_RIGHT] = "right",
        [NADI_TRUST_LOST] = "lost",
        [NADI_TRUST_FULL] = "full",
        [NADI_TRUST_STASH] = "stash",
        [NADI_TRUST_HALTED] = "halted",
    };
    return names[t];
}
