/* collective_files: `nadi collective check` and `nadi collective convert`: what files of explicit
 * algorithms say, whether it is right, and the same in another form. */
#ifndef NADI_EXPLORE_COLLECTIVE_FILES_H
#define NADI_EXPLORE_COLLECTIVE_FILES_H

#include "collective/table_file.h"

struct nadi_collective_check_request {
    const char *const *paths; /* files, or prefixes of Chakra traces */
    size_t count;
    uint64_t bytes;     /* of the collective, as nccl-tests counts */
    double latency_s;   /* a message */
    double bytes_per_s; /* 0: any number at once */
    double adds_per_s;  /* bytes reduced or copied a second; 0: at once */
    bool csv;           /* a row a file */
};

/* Every file is looked at; false when one of them is damaged or wrong, with an error that says
 * where. `out` has what is known of the others. */
bool nadi_collective_check(const struct nadi_collective_check_request *request,
                           struct nadi_str *out, struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_collective_convert_request {
    const char *from;          /* a file; NULL: an algorithm of nadi's own, ... */
    const char *algorithm;     /* ... by its word, with its number: "tree4" */
    const char *kind;          /* of it */
    uint32_t members;          /* likewise */
    const char *to;            /* file; of form CHAKRA the prefix of traces */
    enum nadi_table_form form; /* NO_FORM: as the name ends: .xml MSCCL, else own */
    uint64_t bytes;            /* of Chakra traces: of the collective, as nccl-tests counts */
};

/* An algorithm of nadi's own, "tree4", or of the reference's, "halvingDoubling", as steps for all
 * members of a request. `arena`: for what the program keeps. Why it cannot be; NULL: it is made. */
const char *nadi_collective_program(const char *word, const struct nadi_program_request *request,
                                    struct nadi_arena *arena, struct nadi_program *p) NADI_MUST_USE;

/* Writes the table in the form, after proving it. False with errors. */
bool nadi_collective_convert(const struct nadi_collective_convert_request *request,
                             struct nadi_diags *diags) NADI_MUST_USE;

/* A table that has been proved, likewise. */
bool nadi_collective_write(const struct nadi_table *table, const char *name, const char *to,
                           enum nadi_table_form form, uint64_t bytes,
                           struct nadi_diags *diags) NADI_MUST_USE;

#endif
