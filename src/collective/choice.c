#include "collective/choice.h"

#include "base/algorithm.h"
#include "base/str.h"
#include "collective/algorithms/algorithms.h"

/* Is `name` the word, without the "[N]" that may stand behind that? */
static bool is_stem(const char *word, const char *name)
{
    const size_t length = strcspn(word, "[");
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

bool nadi_algorithm_read(const char *text, struct nadi_algorithm_choice *choice)
{
#define NATIVE(id, word, one, has_one)                                                             \
    {word, {.algorithm = NADI_ALGORITHM_##id}},                                                    \
        NADI_IF_##has_one(                                                                         \
            {one NADI_COMMA{.algorithm = NADI_ALGORITHM_##id NADI_COMMA.flat = true}})
#define GENERATOR(id, word, one, dims, rooted, all, bar, v)                                        \
    NADI_IF_##dims({word NADI_COMMA{.algorithm = NADI_ALGORITHM_PROGRAM NADI_COMMA.program =       \
                                        &nadi_algorithm_##id}})                                    \
        NADI_IF_##dims({one NADI_COMMA{.algorithm = NADI_ALGORITHM_PROGRAM NADI_COMMA.program =    \
                                           &nadi_algorithm_##id NADI_COMMA.flat = true}})
    static const struct {
        const char *word;
        struct nadi_algorithm_choice choice;
    } rows[] = {NADI_NATIVE_ALGORITHMS(NATIVE) NADI_GENERATORS(GENERATOR)};
#undef NATIVE
#undef GENERATOR
    char name[64];
    uint32_t number;
    if (!nadi_str_split_number(text, name, sizeof(name), &number))
        return false;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (is_stem(rows[i].word, name)) {
            *choice = rows[i].choice;
            choice->window = number;
            choice->one_by_one = choice->algorithm == NADI_ALGORITHM_DIRECT && number == 1;
            return number == 0 || strchr(rows[i].word, '[');
        }
    return false;
}

const char *nadi_algorithm_name(enum nadi_algorithm algorithm,
                                const struct nadi_program_ops *program)
{
    static const char *const names[NADI_ALGORITHM_COUNT] = {
        [NADI_ALGORITHM_NONE] = "none",
        [NADI_ALGORITHM_RING] = "ring",
        [NADI_ALGORITHM_DIRECT] = "direct",
        [NADI_ALGORITHM_HALVING_DOUBLING] = "halvingDoubling",
        [NADI_ALGORITHM_DOUBLE_BINARY_TREE] = "doubleBinaryTree",
        [NADI_ALGORITHM_PROGRAM] = "program",
        [NADI_ALGORITHM_LIBRARY] = "library",
    };
    return program ? program->name : names[algorithm];
}
