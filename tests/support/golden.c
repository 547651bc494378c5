#include "support/golden.h"

#include "base/file.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

void golden_hold(const char *name, struct nadi_str *text)
{
    struct nadi_str path = NADI_STR_INIT;
    struct nadi_diags diags;
    char *kept = NULL;
    size_t bytes = 0;
    nadi_diags_init(&diags);
    nadi_str_printf(&path, "%s/golden/%s.txt", NADI_TEST_DIR, name);
    if (getenv("NADI_UPDATE_TABLES"))
        assert_true(nadi_file_write(nadi_str_get(&path), text->text, text->length, &diags));
    assert_true(nadi_file_read(nadi_str_get(&path), "table", &kept, &bytes, &diags));
    for (size_t i = 0, from = 0; i < bytes || i < text->length; i++) {
        if (i >= bytes || i >= text->length || kept[i] != text->text[i])
            fail_msg("%s is no longer so (tools/update-tables) from here on: %.*s",
                     nadi_str_get(&path), (int)strcspn(nadi_str_get(text) + from, "\n"),
                     nadi_str_get(text) + from);
        from = kept[i] == '\n' ? i + 1 : from;
    }
    nadi_mem_free(kept);
    nadi_str_release(text);
    nadi_str_release(&path);
    nadi_diags_release(&diags);
}
