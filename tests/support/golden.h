/* golden: text that a test makes, held against a file in tests/golden/, whose diff shows what
 * moved. tools/update-tables writes the files anew. */
#ifndef NADI_TESTS_GOLDEN_H
#define NADI_TESTS_GOLDEN_H

#include "base/str.h"

/* Fails the test at the first line that is not as in tests/golden/NAME.txt; releases the text. */
void golden_hold(const char *name, struct nadi_str *text);

#endif
