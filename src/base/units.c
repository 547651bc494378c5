#include "base/units.h"

#include "base/str.h"

struct unit {
    const char *name;
    double factor;
};

static const struct unit times[] = {
    {"ps", 1e-3}, {"ns", 1},     {"us", 1e3},   {"\xc2\xb5s", 1e3}, {"ms", 1e6},
    {"s", 1e9},   {"min", 60e9}, {"h", 3600e9}, {NULL, 0},
};
static const struct unit sizes[] = {
    {"B", 1},
    {"kB", 1e3},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"PB", 1e15},
    {"KiB", 1024.0},
    {"MiB", 1048576.0},
    {"GiB", 1073741824.0},
    {"TiB", 1099511627776.0},
    {NULL, 0},
};
static const struct unit rates[] = {
    {"B/s", 1},
    {"kB/s", 1e3},
    {"KB/s", 1e3},
    {"MB/s", 1e6},
    {"GB/s", 1e9},
    {"TB/s", 1e12},
    {"KiB/s", 1024.0},
    {"MiB/s", 1048576.0},
    {"GiB/s", 1073741824.0},
    {"TiB/s", 1099511627776.0},
    {"bps", 0.125},
    {"kbps", 125},
    {"Kbps", 125},
    {"Mbps", 125e3},
    {"Gbps", 125e6},
    {"Tbps", 125e9},
    {"b/s", 0.125},
    {"kb/s", 125},
    {"Mb/s", 125e3},
    {"Gb/s", 125e6},
    {"Tb/s", 125e9},
    {"Gbit/s", 125e6},
    {"Tbit/s", 125e9},
    {"Mbit/s", 125e3},
    {NULL, 0},
};
static const struct unit flops[] = {
    {"FLOPS", 1},      {"MFLOPS", 1e6},   {"GFLOPS", 1e9},  {"TFLOPS", 1e12},
    {"PFLOPS", 1e15},  {"FLOP/s", 1},     {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9},
    {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}, {NULL, 0},
};

static const struct unit *units_of(enum nadi_dimension dimension)
{
    switch (dimension) {
    case NADI_DIMENSION_TIME:
        return times;
    case NADI_DIMENSION_BYTES:
        return sizes;
    case NADI_DIMENSION_RATE:
        return rates;
    case NADI_DIMENSION_FLOPS:
        return flops;
    case NADI_DIMENSION_NONE:
        break;
    }
    return NULL;
}

const char *nadi_units_list(enum nadi_dimension dimension)
{
    switch (dimension) {
    case NADI_DIMENSION_TIME:
        return "ps, ns, us, ms, s, min, h";
    case NADI_DIMENSION_BYTES:
        return "B, kB, MB, GB, TB (powers of 10), KiB, MiB, GiB, TiB (powers of 2)";
    case NADI_DIMENSION_RATE:
        return "B/s, kB/s, MB/s, GB/s, TB/s, GiB/s, Mbps, Gbps, Tbps";
    case NADI_DIMENSION_FLOPS:
        return "FLOPS, GFLOPS, TFLOPS, PFLOPS";
    case NADI_DIMENSION_NONE:
        break;
    }
    return "none";
}

bool nadi_units_parse(const char *text, enum nadi_dimension dimension, double *value,
                      bool *has_unit)
{
    double v;
    while (*text == ' ')
        text++;
    const char *end = nadi_str_take_double(text, &v);
    if (!end)
        return false;
    while (*end == ' ')
        end++;
    *has_unit = *end != '\0';
    *value = v;
    if (*end == '\0')
        return true;
    const struct unit *u = units_of(dimension);
    for (; u && u->name; u++) {
        if (strcmp(u->name, end) == 0) {
            *value = v * u->factor;
            return true;
        }
    }
    return false;
}

static const char *scaled(char buffer[32], double value, const char *const *names,
                          const double *steps, size_t count)
{
    size_t i = 0;
    double shown = value;
    while (i + 1 < count && (shown >= steps[i] - steps[i] * 5e-5 || shown <= -steps[i])) {
        shown /= steps[i];
        i++;
    }
    double size = shown < 0 ? -shown : shown;
    int digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    if (i == 0 && shown - (double)(int64_t)shown > -1e-12 && shown - (double)(int64_t)shown < 1e-12)
        digits = 0;
    snprintf(buffer, 32, "%.*f%s%s", digits, shown, names[i][0] ? " " : "", names[i]);
    return buffer;
}

const char *nadi_units_time(char buffer[32], double ns)
{
    static const char *const names[] = {"ns", "us", "ms", "s", "min", "h"};
    static const double steps[] = {1000, 1000, 1000, 60, 60};
    return scaled(buffer, ns, names, steps, 6);
}

const char *nadi_units_bytes(char buffer[32], double bytes)
{
    static const char *const names[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    static const double steps[] = {1000, 1000, 1000, 1000, 1000};
    return scaled(buffer, bytes, names, steps, 6);
}

const char *nadi_units_rate(char buffer[32], double bytes_per_s)
{
    static const char *const names[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
    static const double steps[] = {1000, 1000, 1000, 1000, 1000};
    return scaled(buffer, bytes_per_s, names, steps, 6);
}

const char *nadi_units_joules(char buffer[32], double joules)
{
    static const char *const names[] = {"pJ", "nJ", "uJ", "mJ", "J", "kJ", "MJ"};
    static const double steps[] = {1000, 1000, 1000, 1000, 1000, 1000};
    return scaled(buffer, joules * 1e12, names, steps, 7);
}

const char *nadi_units_count(char buffer[32], double count)
{
    static const char *const names[] = {"", "k", "M", "G", "T"};
    static const double steps[] = {1000, 1000, 1000, 1000};
    return scaled(buffer, count, names, steps, 5);
}
