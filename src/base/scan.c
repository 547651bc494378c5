#include "base/scan.h"

#include "base/str.h"

void nadi_scan_init(struct nadi_scan *s, const char *path, const char *code, char *text,
                    size_t bytes, struct nadi_diags *diags)
{
    *s = (struct nadi_scan){
        .path = path,
        .code = code,
        .diags = diags,
        .at = text,
        .end = text + bytes,
        .line = 1,
        .column = 1,
        .place = NADI_IN_FILE(path),
        .word = "",
    };
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f' || c == '\0';
}

static void step(struct nadi_scan *s)
{
    if (*s->at == '\n') {
        s->line++;
        s->column = 0;
    }
    s->column++;
    s->at++;
}

static void skip_to_word(struct nadi_scan *s)
{
    while (s->at < s->end) {
        if (*s->at == '#') {
            while (s->at < s->end && *s->at != '\n')
                step(s);
        } else if (is_blank(*s->at))
            step(s);
        else
            return;
    }
}

bool nadi_scan_next(struct nadi_scan *s)
{
    skip_to_word(s);
    s->place.line = s->line;
    s->place.column = s->column;
    if (s->at == s->end) {
        s->word = "";
        return false;
    }
    char *begin = s->at;
    while (s->at < s->end && !is_blank(*s->at))
        step(s);
    if (s->at < s->end) {
        char *blank = s->at;
        step(s);
        *blank = '\0';
    }
    s->word = begin;
    return true;
}

bool nadi_scan_same_line(struct nadi_scan *s)
{
    const uint32_t line = s->place.line;
    struct nadi_scan ahead = *s;
    skip_to_word(&ahead);
    return ahead.line == line && ahead.at < ahead.end && nadi_scan_next(s);
}

bool nadi_scan_error(struct nadi_scan *s, const char *hint, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return nadi_error(s->diags, s->code, s->place, hint, "%s", text);
}

/* The word as shown in a message: short and printable. */
static const char *shown(const struct nadi_scan *s, char buffer[48])
{
    size_t n = 0;
    for (const char *c = s->word; *c && n < 40; c++)
        buffer[n++] = (unsigned char)*c < ' ' || (unsigned char)*c > '~' ? '?' : *c;
    buffer[n] = '\0';
    return buffer;
}

static bool want(struct nadi_scan *s, const char *what)
{
    return nadi_scan_next(s) || nadi_scan_error(s, "the file may have been cut short",
                                                "the file ends before the %s", what);
}

bool nadi_scan_u64(struct nadi_scan *s, const char *what, uint64_t most, uint64_t *value)
{
    char buffer[48];
    if (!want(s, what))
        return false;
    if (nadi_str_to_u64(s->word, value) && *value <= most)
        return true;
    return nadi_scan_error(s, NULL, "the %s is '%s'; allowed are whole numbers from 0 to %" PRIu64,
                           what, shown(s, buffer), most);
}

bool nadi_scan_u32(struct nadi_scan *s, const char *what, uint32_t most, uint32_t *value)
{
    uint64_t wide;
    if (!nadi_scan_u64(s, what, most, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

bool nadi_scan_double(struct nadi_scan *s, const char *what, double least, double most,
                      double *value)
{
    char buffer[48];
    if (!want(s, what))
        return false;
    if (nadi_str_to_double(s->word, value) && *value >= least && *value <= most)
        return true;
    return nadi_scan_error(s, NULL, "the %s is '%s'; allowed are numbers from %g to %g", what,
                           shown(s, buffer), least, most);
}

static bool out_of_range(struct nadi_scan *s, const char *what, enum nadi_dimension dimension,
                         double least, double most)
{
    char buffer[48], from[32], to[32];
    const bool rate = dimension == NADI_DIMENSION_RATE;
    return nadi_scan_error(s, NULL, "the %s is '%s'; allowed is from %s to %s", what,
                           shown(s, buffer),
                           rate ? nadi_units_rate(from, least) : nadi_units_time(from, least),
                           rate ? nadi_units_rate(to, most) : nadi_units_time(to, most));
}

bool nadi_scan_quantity(struct nadi_scan *s, const char *what, enum nadi_dimension dimension,
                        double bare, double least, double most, double *value)
{
    char buffer[48];
    bool has_unit;
    if (!want(s, what))
        return false;
    bool number = nadi_units_parse(s->word, dimension, value, &has_unit);
    if (number && !has_unit)
        *value *= bare;
    if (number && *value >= least && *value <= most)
        return true;
    if (number)
        return out_of_range(s, what, dimension, least, most);
    return nadi_scan_error(s, NULL, "the %s is '%s'; wanted is a number with one of the units %s",
                           what, shown(s, buffer), nadi_units_list(dimension));
}
