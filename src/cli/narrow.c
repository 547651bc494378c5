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

/* A long bar becomes blanks. */
static void drop_bar(struct nadi_str *line)
{
    struct nadi_str kept = NADI_STR_INIT;
    size_t cells = 0;
    for (const char *at = nadi_str_get(line); *at; at++)
        cells += cell_at(at) > 0;
    for (const char *at = nadi_str_get(line); *at && cells >= BAR;) {
        const size_t cell = cell_at(at);
        nadi_str_add_char(&kept, cell ? ' ' : *at);
        at += cell ? cell : 1;
    }
    if (cells >= BAR) {
        nadi_str_clear(line);
        nadi_str_add(line, nadi_str_get(&kept));
    }
    nadi_str_release(&kept);
}

/* ---- tables: lines that follow each other and have columns --------------------------------- */

enum { WIDEST = 512 };

static bool is_row(const char *line)
{
    const char *text = line + strspn(line, " ");
    return *text && strstr(text, "  ") && columns_of(line) <= WIDEST;
}

/* Marks the columns in which the line has something. */
static void mark_ink(const char *line, bool ink[WIDEST])
{
    for (int column = 0; *line;) {
        const size_t colour = colour_at(line);
        if (!colour && begins(line)) {
            if (*line != ' ')
                ink[column] = true;
            column++;
        }
        line += colour ? colour : 1;
    }
}

/* The line without the columns that go. */
static void put_kept(const char *line, const bool gone[WIDEST], struct nadi_str *out)
{
    int column = -1;
    while (*line) {
        const size_t colour = colour_at(line);
        column += colour == 0 && begins(line);
        if (colour || !gone[column])
            nadi_str_add_bytes(out, line, colour ? colour : 1);
        line += colour ? colour : 1;
    }
}

/* Of columns that are blank in all rows, between two that are not, two of each run stay. */
static void find_gone(const bool ink[WIDEST], bool gone[WIDEST])
{
    int first = 0, blanks = 0;
    while (first < WIDEST && !ink[first])
        first++;
    for (int c = first; c < WIDEST; c++) {
        blanks = ink[c] ? 0 : blanks + 1;
        gone[c] = blanks > 2;
    }
}

/* The rows at `text`, so many columns wide at most if what is blank in all of them goes, appended
 * to out as lines; the begin of what follows. NULL: there are none, or they fit. */
static const char *take_table(const char *text, int columns, struct nadi_str *out)
{
    struct nadi_str line = NADI_STR_INIT;
    bool ink[WIDEST] = {false}, gone[WIDEST] = {false}, wide = false;
    const char *end = text;
    for (int pass = 0; pass < 2; pass++) {
        for (end = text; *end;) {
            const size_t length = strcspn(end, "\n");
            nadi_str_clear(&line);
            nadi_str_add_bytes(&line, end, length);
            if (!is_row(nadi_str_get(&line)))
                break;
            wide |= columns_of(nadi_str_get(&line)) > columns;
            drop_bar(&line);
            if (pass == 0)
                mark_ink(nadi_str_get(&line), ink);
            else {
                put_kept(nadi_str_get(&line), gone, out);
                nadi_str_add_char(out, '\n');
            }
            end += length + (end[length] == '\n');
        }
        if (!wide)
            break;
        find_gone(ink, gone);
    }
    nadi_str_release(&line);
    return wide ? end : NULL;
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

/* Is this the blank between a number and its unit? */
static bool of_number(const char *blank)
{
    enum { UNIT = 4 };
    const size_t unit = strspn(blank + 1, "%/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return blank[-1] >= '0' && blank[-1] <= '9' && unit > 0 && unit <= UNIT;
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
        if (*at == ' ' && words && !(at > begin && of_number(at)))
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
    const bool flush = indent == 0 && !strstr(line, "  "); /* neither indented nor a table */
    const int further = !flush && (int)indent + 2 < columns / 2 ? (int)indent + 2 : 0;
    const char *end = end_of(line, columns);
    put_trimmed(line, end, out);
    while (end[strspn(end, " ")]) {
        const char *next = end + strspn(end, " ");
        end = end_of(next, columns - further);
        nadi_str_printf(out, "\n%*s", further, "");
        put_trimmed(next, end, out);
    }
}

/* A line of sentences: not indented, no table, not empty. */
static bool is_prose(const char *line, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (line[i] == ' ' && line[i + 1] == ' ')
            return false;
    return length > 0 && *line != ' ' && !colour_at(line);
}

/* Does the paragraph of this line go on in the next one? */
static bool goes_on(const char *line, const char *next, int wrapped)
{
    const size_t length = strcspn(next, "\n");
    size_t word = strcspn(next, " \n");
    while (next[word] == ' ' && next[word + 1] == '%') /* stays with its number */
        word += 1 + strcspn(next + word + 1, " \n");
    if (!is_prose(line, strlen(line)) || !is_prose(next, length))
        return false;
    return wrapped == 0 || columns_of(line) + 1 + (int)word > wrapped;
}

/* The line at `text`, with those that its paragraph goes on in; the begin of the next. */
static const char *take_paragraph(const char *text, int wrapped, struct nadi_str *line)
{
    struct nadi_str last = NADI_STR_INIT;
    nadi_str_clear(line);
    for (;;) {
        const size_t length = strcspn(text, "\n");
        nadi_str_clear(&last);
        nadi_str_add_bytes(&last, text, length);
        nadi_str_add_bytes(line, text, length);
        text += length;
        if (*text == '\0' || !goes_on(nadi_str_get(&last), text + 1, wrapped))
            break;
        nadi_str_add_char(line, ' ');
        text++;
    }
    nadi_str_release(&last);
    return text;
}

static void put_line(struct nadi_str *line, int columns, struct nadi_str *out)
{
    if (columns_of(nadi_str_get(line)) > columns)
        drop_bar(line);
    if (columns_of(nadi_str_get(line)) > columns)
        draw_together(line);
    fold(nadi_str_get(line), columns, out);
}

void nadi_narrow_text(const char *text, int columns, int wrapped, struct nadi_str *out)
{
    struct nadi_str line = NADI_STR_INIT, table = NADI_STR_INIT;
    while (*text) {
        nadi_str_clear(&table);
        const char *behind = take_table(text, columns, &table);
        for (const char *row = nadi_str_get(&table); behind && *row;) {
            const size_t length = strcspn(row, "\n");
            nadi_str_clear(&line);
            nadi_str_add_bytes(&line, row, length);
            put_line(&line, columns, out);
            nadi_str_add_char(out, '\n');
            row += length + 1;
        }
        if (behind) {
            text = behind;
            continue;
        }
        text = take_paragraph(text, wrapped, &line);
        put_line(&line, columns, out);
        if (*text == '\n')
            nadi_str_add_char(out, '\n');
        text += *text == '\n';
    }
    nadi_str_release(&line);
    nadi_str_release(&table);
}
