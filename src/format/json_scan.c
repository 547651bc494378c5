#include "format/json_scan.h"

#include "format/utf8.h"

static bool fault(struct nadi_json_scan *p, const char *what)
{
    p->fault = what;
    return false;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_hex4(struct nadi_json_scan *p, unsigned *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++) {
        const int digit = p->at < p->end ? hex_digit(*p->at) : -1;
        if (digit < 0)
            return fault(p, "four hexadecimal digits must follow \\u");
        *value = *value << 4 | (unsigned)digit;
        p->at++;
    }
    return true;
}

static size_t put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xe0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3f));
        to[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3f));
    to[2] = (char)(0x80 | (code >> 6 & 0x3f));
    to[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* After "\u": the code point, of two halves where it takes them. */
static bool read_code_point(struct nadi_json_scan *p, unsigned *code)
{
    unsigned low;
    if (!read_hex4(p, code))
        return false;
    if (*code < 0xd800 || *code > 0xdfff)
        return true;
    if (*code > 0xdbff || p->end - p->at < 2 || p->at[0] != '\\' || p->at[1] != 'u')
        return fault(p, "half of a surrogate pair");
    p->at += 2;
    if (!read_hex4(p, &low))
        return false;
    if (low < 0xdc00 || low > 0xdfff)
        return fault(p, "half of a surrogate pair");
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

/* The escape at p->at, behind the backslash, to *to. */
static bool read_escape(struct nadi_json_scan *p, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    if (p->at == p->end)
        return fault(p, "the text has no end");
    const char c = *p->at;
    const char *found = c ? strchr(from, c) : NULL;
    if (found) {
        p->at++;
        *(*to)++ = into[found - from];
        return true;
    }
    unsigned code;
    if (c != 'u')
        return fault(p, "unknown escape after the backslash");
    p->at++;
    if (!read_code_point(p, &code))
        return false;
    *to += put_utf8(*to, code); /* never longer than what it was written as */
    return true;
}

/* Bytes from p that stand for themselves, ASCII only. */
static size_t plain_length(const struct nadi_json_scan *p)
{
    const char *at = p->at;
    while (at < p->end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 && *at != '"' &&
           *at != '\\')
        at++;
    return (size_t)(at - p->at);
}

bool nadi_json_scan_string(struct nadi_json_scan *p, const char **text, size_t *bytes)
{
    char *to = p->at;
    *text = to;
    while (p->at < p->end) {
        const unsigned char c = (unsigned char)*p->at;
        if (c == '"') {
            *bytes = (size_t)(to - *text);
            p->at++;
            return true;
        }
        if (c < 0x20)
            return fault(p, "a control character in a text must be escaped");
        if (c == '\\') {
            p->at++;
            if (!read_escape(p, &to))
                return false;
            continue;
        }
        const size_t length =
            c < 0x80 ? plain_length(p) : nadi_utf8_length_within(p->at, (size_t)(p->end - p->at));
        if (length == 0)
            return fault(p, "the text is not UTF-8");
        p->inner += c < 0x80 ? 0 : length - 1;
        if (to != p->at)
            memmove(to, p->at, length);
        to += length;
        p->at += length;
    }
    return fault(p, "the text has no end");
}

static void skip_digits(struct nadi_json_scan *p)
{
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
        p->at++;
}

static bool is_digit(const struct nadi_json_scan *p)
{
    return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

bool nadi_json_scan_number(struct nadi_json_scan *p)
{
    if (*p->at == '-')
        p->at++;
    if (!is_digit(p))
        return fault(p, "a digit is wanted");
    if (*p->at == '0')
        p->at++;
    else
        skip_digits(p);
    if (is_digit(p))
        return fault(p, "a number must not begin with 0");
    if (p->at < p->end && *p->at == '.') {
        p->at++;
        if (!is_digit(p))
            return fault(p, "a digit is wanted");
        skip_digits(p);
    }
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        p->at++;
        if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
            p->at++;
        if (!is_digit(p))
            return fault(p, "a digit is wanted");
        skip_digits(p);
    }
    return true;
}
