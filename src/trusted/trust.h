/* trust: what an engine says of an access, and defences that can be taken away.
 *
 * Parties: requester engine Q and provider engine P are trusted devices; their hosts are not, nor
 * is the network between them. An attacker reads, alters, drops, repeats and reorders messages, and
 * writes both hosts' memory. */
#ifndef NADI_TRUSTED_TRUST_H
#define NADI_TRUSTED_TRUST_H

#include "base/base.h"

enum nadi_trust {
    NADI_TRUST_OK,
    NADI_TRUST_PAGE_MAC,    /* a page is not what was last written there */
    NADI_TRUST_TREE_MAC,    /* a node of the counter tree is not what was last written there */
    NADI_TRUST_CHANNEL_MAC, /* a message was not made by the other engine, or was altered */
    NADI_TRUST_SEQUENCE,    /* a message was received before, or after a later one */
    NADI_TRUST_FORMAT,      /* bytes that are no message */
    NADI_TRUST_ATTESTATION, /* a public key without the proof of a genuine device */
    NADI_TRUST_OWNER,       /* the frame belongs to another requester, or to none */
    NADI_TRUST_GENERATION,  /* the handle is from before the frame was freed */
    NADI_TRUST_RIGHT,       /* the page is not for writing, or not for reading */
    NADI_TRUST_LOST,        /* no valid reply, also after retries */
    NADI_TRUST_FULL,        /* no frame is free */
    NADI_TRUST_STASH,       /* the stash is full */
    NADI_TRUST_HALTED,      /* the engine stopped after a failure that left pages in doubt */
    NADI_TRUSTS
};

/* "page-mac", ... */
const char *nadi_trust_name(enum nadi_trust t);

enum nadi_right { NADI_RIGHT_READ = 1, NADI_RIGHT_WRITE = 2, NADI_RIGHT_BOTH = 3 };

/* Defences that are off, to show that an attack succeeds without them. */
enum nadi_ablation {
    NADI_ABLATE_NONE = 0,
    NADI_ABLATE_OWNER = 1,
    NADI_ABLATE_GENERATION = 2,
    NADI_ABLATE_RIGHT = 4,
    NADI_ABLATE_PAGE_MAC = 8,  /* tags of pages are not compared */
    NADI_ABLATE_ADDRESS = 16,  /* a page's tag does not depend on its frame */
    NADI_ABLATE_COUNTER = 32,  /* nor on its write counter */
    NADI_ABLATE_TREE_MAC = 64, /* tags of counter nodes are not compared */
    NADI_ABLATE_CHANNEL_MAC = 128,
    NADI_ABLATE_SEQUENCE = 256,
    NADI_ABLATE_WIPE = 512,    /* free leaves the bytes */
    NADI_ABLATE_RETIRE = 1024, /* generations wrap */
    NADI_ABLATE_ATTESTATION = 2048,
    NADI_ABLATE_ROOT = 4096, /* the tree's root lies in memory with its nodes */
};

#endif
