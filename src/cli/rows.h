/* rows: options that many commands have, each one row of a command's table; that of --format is
 * NADI_FORM_OPTION_AT. `at` is AT(member). */
#ifndef NADI_CLI_ROWS_H
#define NADI_CLI_ROWS_H

#include "api/words.h"

#define NADI_ROW_COMPRESS(at)                                                                      \
    {                                                                                              \
        .name = "compress", .type = NADI_TYPE_WORD, .words = NADI_ONE_OF("none", "gzip", "zstd"),  \
        .preset = "none", at, .doc = "Compression of the traces"                                   \
    }
#define NADI_ROW_QUIET(at, also)                                                                   \
    {                                                                                              \
        .name = "quiet", .type = NADI_TYPE_FLAG, at, .doc = "Only errors on standard error" also   \
    }

#endif
