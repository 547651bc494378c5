/* quantity: numbers with units. */
#include "base/expression.h"
#include "base/str.h"

struct nadi_quantity nadi_quantity_plain(double number)
{
    return (struct nadi_quantity){.number = number};
}

struct nadi_quantity nadi_quantity_text(const char *text)
{
    return (struct nadi_quantity){.text = text};
}

/* In the base unit of quantities, one of the dimension's. */
static double unit_of(enum nadi_dimension dimension, int8_t powers[NADI_POWERS])
{
    memset(powers, 0, NADI_POWERS);
    switch (dimension) {
    case NADI_DIMENSION_TIME:
        powers[NADI_POWER_NS] = 1;
        return 1;
    case NADI_DIMENSION_BYTES:
        powers[NADI_POWER_BYTE] = 1;
        return 1;
    case NADI_DIMENSION_RATE:
        powers[NADI_POWER_BYTE] = 1;
        powers[NADI_POWER_NS] = -1;
        return 1e9;
    case NADI_DIMENSION_FLOPS:
        powers[NADI_POWER_FLOP] = 1;
        powers[NADI_POWER_NS] = -1;
        return 1e9;
    case NADI_DIMENSION_NONE:
        break;
    }
    return 1;
}

struct nadi_quantity nadi_quantity_of(double number, enum nadi_dimension dimension)
{
    struct nadi_quantity q = {.text = NULL};
    q.number = number / unit_of(dimension, q.powers);
    return q;
}

bool nadi_quantity_is_plain(const struct nadi_quantity *q)
{
    static const int8_t none[NADI_POWERS] = {0};
    return !q->text && memcmp(q->powers, none, sizeof(none)) == 0;
}

bool nadi_quantity_in(const struct nadi_quantity *q, enum nadi_dimension dimension, double *number)
{
    int8_t powers[NADI_POWERS];
    const double unit = unit_of(dimension, powers);
    if (q->text || memcmp(powers, q->powers, sizeof(powers)) != 0)
        return false;
    *number = q->number * unit;
    return true;
}

const char *nadi_quantity_unit(const struct nadi_quantity *q, char buffer[64])
{
    static const char *const names[NADI_POWERS] = {"B", "ns", "FLOP", "$", "J"};
    struct nadi_str text = NADI_STR_INIT;
    if (q->text || nadi_quantity_is_plain(q))
        return q->text ? "a text" : "a plain number";
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int i = 0; i < NADI_POWERS; i++) {
            const int power = q->powers[i] * sign;
            if (power <= 0)
                continue;
            nadi_str_add(&text, sign < 0 ? (text.length ? "/" : "1/") : text.length ? " " : "");
            nadi_str_add(&text, names[i]);
            if (power > 1)
                nadi_str_printf(&text, "^%d", power);
        }
    snprintf(buffer, 64, "%s", nadi_str_get(&text));
    nadi_str_release(&text);
    return buffer;
}

/* Money, power and energy, which files do not have. */
static bool read_other_unit(const char *unit, struct nadi_quantity *q)
{
    static const struct {
        const char *name;
        double factor;
        int8_t dollar, joule, ns;
    } units[] = {
        {"$", 1, 1, 0, 0},      {"k$", 1e3, 1, 0, 0},    {"M$", 1e6, 1, 0, 0},
        {"G$", 1e9, 1, 0, 0},   {"W", 1e-9, 0, 1, -1},   {"kW", 1e-6, 0, 1, -1},
        {"MW", 1e-3, 0, 1, -1}, {"GW", 1, 0, 1, -1},     {"J", 1, 0, 1, 0},
        {"kJ", 1e3, 0, 1, 0},   {"MJ", 1e6, 0, 1, 0},    {"pJ", 1e-12, 0, 1, 0},
        {"nJ", 1e-9, 0, 1, 0},  {"kWh", 3.6e6, 0, 1, 0}, {"MWh", 3.6e9, 0, 1, 0},
        {"FLOP", 1, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(unit, units[i].name) == 0) {
            q->number *= units[i].factor;
            q->powers[NADI_POWER_DOLLAR] = units[i].dollar;
            q->powers[NADI_POWER_JOULE] = units[i].joule;
            q->powers[NADI_POWER_NS] = units[i].ns;
            q->powers[NADI_POWER_FLOP] = strcmp(unit, "FLOP") == 0;
            return true;
        }
    return false;
}

bool nadi_quantity_read(const char *text, struct nadi_quantity *q)
{
    static const enum nadi_dimension dimensions[] = {NADI_DIMENSION_TIME, NADI_DIMENSION_BYTES,
                                                     NADI_DIMENSION_RATE, NADI_DIMENSION_FLOPS};
    double value;
    const char *unit = nadi_str_take_double(text, &value);
    if (!unit)
        return false;
    *q = nadi_quantity_plain(value);
    unit += strspn(unit, " ");
    if (!*unit || read_other_unit(unit, q))
        return true;
    for (size_t i = 0; i < sizeof(dimensions) / sizeof(*dimensions); i++) {
        bool has_unit;
        if (nadi_units_parse(text, dimensions[i], &value, &has_unit)) {
            *q = nadi_quantity_of(value, dimensions[i]);
            return true;
        }
    }
    return false;
}
