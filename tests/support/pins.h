/* pins: what the cases of a property test came to, a digest each so many cases, held against
 * tests/golden/drawn/NAME.txt. Two ways that agree can both be wrong; what moves shows here.
 *
 *   static struct pins d = PINS("flow", "crowds", 10);
 *   digest_u64(&d.digest, arrived); ...
 *   pins_case(&d, seed);            after each case, left out or not
 *   return pins_end(&d) ? 0 : 1;    a run of the first cases holds its part, and one
 *                                   of others none */
#ifndef NADI_TESTS_PINS_H
#define NADI_TESTS_PINS_H

#include "base/str.h"
#include "support/digest.h"

struct pins {
    const char *name, *section;
    uint64_t each, digest, cases, first;
    uint64_t began; /* at this seed */
    struct nadi_str text;
};

#define PINS(file, first_section, cases_a_line)                                                    \
    {                                                                                              \
        .name = (file), .section = (first_section), .each = (cases_a_line), .digest = DIGEST_INIT, \
        .text = NADI_STR_INIT                                                                      \
    }

/* Further cases are of another section. */
void pins_section(struct pins *d, const char *name);
void pins_case(struct pins *d, uint64_t seed);
/* False, said on stderr: a line is no longer so. tools/update-tables writes the file anew. */
bool pins_end(struct pins *d);

#endif
