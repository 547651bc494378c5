/* cmd_topo: `nadi topo`. */
#include <nadi/topo.h>

#include "base/file.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/rows.h"
#include "cli/terminal.h"

struct values {
    const char *prices, *svg, *out, *format;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting inputs[] = {
    {.name = "price",
     .argument = "ROLE=P,...",
     .type = NADI_TYPE_TEXT,
     AT(prices),
     .doc = "Prices of nodes by role, and of a 'cable': leaf=18000,cable=300"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    NADI_FORM_OPTION_AT(AT(format), NADI_ONE_OF("text", "json")),
    {.name = "svg", .argument = "FILE", .type = NADI_TYPE_TEXT, AT(svg), .doc = "Draw the network"},
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(out),
     .doc = "Write it as a network file of nodes and links (YAML)"},
    {.name = NULL},
};

static const struct nadi_option_group topo_groups[] = {
    {"Input", inputs, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static bool write_text(const char *path, char *text, struct nadi_diags *messages)
{
    const bool good = !path || nadi_file_write(path, text, strlen(text), messages);
    nadi_free(text);
    return good;
}

static int cmd_topo(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a network file or a generator"))
        return NADI_EXIT_USAGE;
    if (v.out && nadi_str_ends(v.out, ".json")) {
        fprintf(stderr,
                "nadi topo: error: '--out %s' would be YAML, and readers go by the ending: "
                "name it .yml\n",
                v.out);
        return NADI_EXIT_USAGE;
    }
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    struct nadi_topo *t = nadi_topo_open(words.items, (size_t)words.count, v.prices, messages);
    bool good = t != NULL;
    if (good && v.svg)
        good = write_text(v.svg, nadi_terminal_must(nadi_topo_svg(t)), messages);
    if (good && v.out)
        good = write_text(v.out, nadi_terminal_must(nadi_topo_file(t)), messages);
    if (good) {
        nadi_terminal_print(nadi_topo_report(t, nadi_str_equal(v.format, "json")));
    }
    nadi_terminal_messages(messages, 0, false);
    const int code = good ? NADI_EXIT_DONE : nadi_terminal_why(messages);
    nadi_messages_destroy(messages);
    nadi_topo_close(t);
    return code;
}

const struct nadi_command nadi_command_topo = {
    .name = "topo",
    .group = "Networks",
    .summary = "Describe a network: size, distances, bisection, path diversity, a picture",
    .doing = "measuring the network",
    .words = "NETWORK | GENERATOR KEY=VALUE...",
    .about = "NETWORK is whatever `nadi run --network` takes. Generators: fat-tree, clos, "
             "leaf-spine, rail,\ndragonfly, dragonfly+, hyperx, torus, mesh, hgx, fred, "
             "wafer-mesh; `nadi explain k` "
             "and docs/reference/input-generator.md\nlist their parameters.\n",
    .examples = "nadi topo fat-tree k=8 --svg fat-tree.svg\n"
                "nadi topo dragonfly a=8 p=4 h=4 --price router=9000,cable=200\n"
                "nadi topo torus shape=8x8x8 bandwidth=100GB/s --out torus.yml\n"
                "nadi topo hgx nics=4 scale-out=leaf-spine scale-out.leaves=4 \\\n"
                "          scale-out.spines=2 scale-out.hosts=8\n",
    .options = topo_groups,
    .max_words = 64,
    .run = cmd_topo,
};
