/* json_strict: what the tokenizer takes as it comes, checked by RFC 8259. A fault is at s->at. */
#include "format/json_pull.h"
#include "format/utf8.h"

static bool fault(struct nadi_pull *s, const char *what)
{
    s->fault = what;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool read_hex4(struct nadi_pull *s, unsigned *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++, s->at++) {
        const char c = *s->at;
        const char lower = (char)(c | 0x20);
        if (!is_digit(c) && (lower < 'a' || lower > 'f'))
            return fault(s, "four hexadecimal digits must follow \\u");
        *value = *value << 4 | (unsigned)(is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return true;
}

/* Behind the backslash. */
static bool check_escape(struct nadi_pull *s)
{
    unsigned unit;
    if (s->at >= s->end)
        return fault(s, "the text has no end");
    if (*s->at && strchr("\"\\/bfnrt", *s->at)) {
        s->at++;
        return true;
    }
    if (*s->at != 'u')
        return fault(s, "unknown escape after the backslash");
    s->at++;
    if (!read_hex4(s, &unit))
        return false;
    if (unit < 0xd800 || unit > 0xdfff)
        return true;
    if (unit > 0xdbff || s->at[0] != '\\' || s->at[1] != 'u')
        return fault(s, "half of a surrogate pair");
    s->at += 2;
    return read_hex4(s, &unit) &&
           ((unit >= 0xdc00 && unit <= 0xdfff) || fault(s, "half of a surrogate pair"));
}

bool nadi_pull_strict_string(struct nadi_pull *s, struct nadi_view *text, size_t *inner)
{
    const char *begin = s->at;
    bool escaped = false;
    for (;;) {
        const char *stop = nadi_pull_string_stop(s->at);
        while ((s->at = nadi_pull_ascii_end(s->at, stop)) < stop) {
            const size_t length = nadi_utf8_length_within(s->at, (size_t)(s->end - s->at));
            if (length == 0)
                return fault(s, "the text is not UTF-8");
            *inner += length - 1;
            s->at += length;
        }
        if (*s->at == '"')
            break;
        if (*s->at != '\\')
            return fault(s, s->at >= s->end ? "the text has no end"
                                            : "a control character in a text must be escaped");
        s->at++;
        escaped = true;
        if (!check_escape(s))
            return false;
    }
    if (s->at - begin > (ptrdiff_t)UINT32_MAX)
        return fault(s, "a string of more than 4 GiB");
    *text = (struct nadi_view){begin, (uint32_t)(s->at - begin), escaped};
    s->at++;
    return true;
}

static bool skip_digits(struct nadi_pull *s)
{
    if (!is_digit(*s->at))
        return fault(s, "a digit is wanted");
    while (is_digit(*s->at))
        s->at++;
    return true;
}

bool nadi_pull_strict_number(struct nadi_pull *s)
{
    s->at += *s->at == '-';
    if (*s->at == '0') {
        s->at++;
        if (is_digit(*s->at))
            return fault(s, "a number must not begin with 0");
    } else if (!skip_digits(s)) {
        return false;
    }
    if (*s->at == '.') {
        s->at++;
        if (!skip_digits(s))
            return false;
    }
    if (*s->at == 'e' || *s->at == 'E') {
        s->at++;
        s->at += *s->at == '+' || *s->at == '-';
        return skip_digits(s);
    }
    return true;
}

static void skip_blanks(struct nadi_pull *s)
{
    while (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\n')
        s->at++;
}

static bool check_key(struct nadi_pull *s)
{
    struct nadi_view key;
    size_t inner = 0;
    skip_blanks(s);
    if (*s->at != '"')
        return fault(s, "a key in quotes is wanted");
    s->at++;
    if (!nadi_pull_strict_string(s, &key, &inner))
        return false;
    skip_blanks(s);
    if (*s->at != ':')
        return fault(s, "a colon is wanted after the key");
    s->at++;
    return true;
}

static bool check_scalar(struct nadi_pull *s)
{
    static const char *const words[] = {"true", "false", "null"};
    struct nadi_view text;
    size_t inner = 0;
    if (*s->at == '"') {
        s->at++;
        return nadi_pull_strict_string(s, &text, &inner);
    }
    if (*s->at == '-' || is_digit(*s->at))
        return nadi_pull_strict_number(s);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t bytes = strlen(words[i]);
        if (strncmp(s->at, words[i], bytes) == 0) {
            s->at += bytes;
            return true;
        }
    }
    return fault(s, "a value is wanted: a text in quotes, a number, true, false, null, [ or {");
}

/* Behind a value or an opening bracket: *more is false at the end of the outermost value. fresh:
 * nothing stands between the bracket and here. */
static bool next_value(struct nadi_pull *s, uint64_t *objects, unsigned *depth, bool fresh,
                       bool *more)
{
    for (*more = *depth > 0; *more; *more = *depth > 0) {
        const bool object = *objects & 1;
        skip_blanks(s);
        if (*s->at == (object ? '}' : ']')) {
            s->at++;
            *objects >>= 1;
            --*depth;
            fresh = false;
            continue;
        }
        if (!fresh && *s->at != ',') {
            if (s->at >= s->end)
                return fault(s, object ? "the object has no end" : "the list has no end");
            return fault(s, object ? "a comma or } is wanted" : "a comma or ] is wanted");
        }
        s->at += !fresh;
        return !object || check_key(s);
    }
    return true;
}

bool nadi_pull_strict(struct nadi_pull *s)
{
    uint64_t objects = 0; /* bit d: level d is an object */
    unsigned depth = 0;
    for (bool more = true; more;) {
        skip_blanks(s);
        const bool opens = *s->at == '[' || *s->at == '{';
        if (opens) {
            if (depth++ == NADI_PULL_DEPTH)
                return fault(s, "nested too deeply");
            objects = objects << 1 | (*s->at++ == '{');
        } else if (!check_scalar(s)) {
            return false;
        }
        if (!next_value(s, &objects, &depth, opens, &more))
            return false;
    }
    skip_blanks(s);
    return s->at >= s->end || fault(s, "something follows the value");
}
