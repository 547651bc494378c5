#include "cli/narrow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST = 20, BAR = 6 };

int nadi_narrow_columns(void)
{
    const char *said = getenv("COLUMNS");
    struct winsize size;
    char *end;
    const long wanted = said ? strtol(said, &end, 10) : 0;
    if (said && *said && *end == '\0' && wanted >= LEAST && wanted < 10000)
        return (int)wanted;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        return size.ws_col >= LEAST ? size.ws_col : 0;
    return 0;
}

/* Bytes of the colour that begins here; 0: none does. */
static size_t colour_at(const char *at)
{
    if (at[0] != '\x1b' || at[1] != '[')
        return 0;
    const size_t length = 2 + strspn(at + 2, "0123456789;");
    return length + (at[length] != '\0');
}

/* Bytes of a cell of a bar, an eighth of a block or a dot; 0: none. */
static size_t cell_at(const char *at)
{
    if (memcmp(at, "\xe2\x96", at[1] ? 2 : 1) == 0 && (unsigned char)at[2] >= 0x88 &&
        (unsigned char)at[2] <= 0x8f)
        return 3;
    return memcmp(at, "\xc2\xb7", at[1] ? 2 : 1) == 0 ? 2 : 0;
}

static bool begins(const char *at)
{
    return ((unsigned char)*at & 0xc0) != 0x80;
}

static int columns_of(const char *line)
{
    int columns = 0;
    for (const char *at = line; *at;) {
        const size_t colour = colour_at(at);
        columns += colour == 0 && begins(at);
        at += colour ? colour : 1;
    }
    return columns;
}

static void drop_bar(struct nadi_str *line)
{
    struct nadi_str kept = NADI_STR_INIT;
    size_t cells = 0;
    for (const char *at = nadi_str_get(line); *at; at++)
        cells += cell_at(at) > 0;
    for (const char *at = nadi_str_get(line); *at && cells >= BAR;) {
        const size_t cell = cell_at(at);
        if (!cell)
            nadi_str_add_char(&kept, *at);
        at += cell ? cell : 1;
    }
    if (cells >= BAR) {
        nadi_str_clear(line);
        nadi_str_add(line, nadi_str_get(&kept));
    }
    nadi_str_release(&kept);
}

/* Two blanks between columns. */
static void draw_together(struct nadi_str *line)
{
    struct nadi_str kept = NADI_STR_INIT;
    const char *at = nadi_str_get(line);
    size_t blanks = 0;
    for (const size_t indent = strspn(at, " "); kept.length < indent;)
        nadi_str_add_char(&kept, ' ');
    for (at += kept.length; *at;) {
        const size_t colour = colour_at(at);
        blanks = colour ? blanks : *at == ' ' ? blanks + 1 : 0;
        if (blanks <= 2)
            nadi_str_add_bytes(&kept, at, colour ? colour : 1);
        at += colour ? colour : 1;
    }
    nadi_str_clear(line);
    nadi_str_add(line, nadi_str_get(&kept));
    nadi_str_release(&kept);
}

/* Where the line has to end that begins at `at`: behind its last word with room; a word that has
 * none is cut. */
static const char *end_of(const char *at, int columns)
{
    const char *blank = NULL, *begin = at;
    bool words = false;
    for (int used = 0; *at; used += begins(at)) {
        while (colour_at(at))
            at += colour_at(at);
        if (used >= columns && *at == ' ')
            return at;
        if (used >= columns && begins(at))
            return blank ? blank : at > begin ? at : at + 1;
        if (*at == ' ' && at[1] != '%' && words)
            blank = at;
        words |= *at != ' ';
        at += *at != '\0';
    }
    return at;
}

/* Without the blanks at its end. */
static void put_trimmed(const char *from, const char *to, struct nadi_str *out)
{
    while (to > from && to[-1] == ' ')
        to--;
    nadi_str_add_bytes(out, from, (size_t)(to - from));
}

static void fold(const char *line, int columns, struct nadi_str *out)
{
    const size_t indent = strspn(line, " ");
    const int further = indent > 0 && (int)indent + 2 < columns / 2 ? (int)indent + 2 : 0;
    const char *end = end_of(line, columns);
    put_trimmed(line, end, out);
    while (end[strspn(end, " ")]) {
        const char *next = end + strspn(end, " ");
        end = end_of(next, columns - further);
        nadi_str_printf(out, "\n%*s", further, "");
        put_trimmed(next, end, out);
    }
}

void nadi_narrow_text(const char *text, int columns, struct nadi_str *out)
{
    struct nadi_str line = NADI_STR_INIT;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        nadi_str_clear(&line);
        nadi_str_add_bytes(&line, text, length);
        if (columns_of(nadi_str_get(&line)) > columns)
            drop_bar(&line);
        if (columns_of(nadi_str_get(&line)) > columns)
            draw_together(&line);
        fold(nadi_str_get(&line), columns, out);
        if (text[length] == '\n')
            nadi_str_add_char(out, '\n');
        text += length + (text[length] == '\n');
    }
    nadi_str_release(&line);
}
