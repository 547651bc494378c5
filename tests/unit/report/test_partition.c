/* partition: rows of partitions beside their baselines, whole, in every form. */
#include "report/partition.h"

#include "base/str.h"

#include <setjmp.h>

#include <cmocka.h>

static struct nadi_partition_bench_row rows[] = {
    {.net = "mlp",
     .workers = 2,
     .accuracy = 0.975,
     .base = 0.98,
     .magnitude = {.accuracy = 0.5, .bytes = 750},
     .graph = {.accuracy = 0.25, .bytes = 500},
     .bytes = 100,
     .direct = 1000,
     .tensor = 900,
     .macs = 3000,
     .direct_macs = 4000,
     .same = 7,
     .checked = 8,
     .mu = 0.5},
    {.net = "block",
     .workers = 16,
     .accuracy = 1,
     .base = 1,
     .magnitude = {.accuracy = 1, .bytes = 64},
     .graph = {.accuracy = 0, .bytes = 16},
     .bytes = 32,
     .direct = 64,
     .tensor = 48,
     .macs = 5,
     .direct_macs = 5,
     .same = 0,
     .checked = 3,
     .mu = 2},
};
static const struct nadi_partition_bench bench = {rows, 2};

static void assert_has(void (*write)(const struct nadi_partition_bench *, struct nadi_str *),
                       const char *const *lines)
{
    struct nadi_str out = NADI_STR_INIT;
    write(&bench, &out);
    for (; *lines; lines++)
        if (!strstr(nadi_str_get(&out), *lines))
            fail_msg("'%s' is not in\n%s", *lines, nadi_str_get(&out));
    nadi_str_release(&out);
}

static void csv(void **state)
{
    static const char *const lines[] = {
        "net,workers,bytes,direct_bytes,tensor_bytes,macs,direct_macs,accuracy,base_accuracy,"
        "magnitude_accuracy,magnitude_bytes,graph_accuracy,graph_bytes,mu,samples_same,"
        "samples_checked\n",
        "\nmlp,2,100,1000,900,3000,4000,0.975,0.98,0.5,750,0.25,500,0.5,7,8\n",
        "\nblock,16,32,64,48,5,5,1,1,1,64,0,16,2,0,3\n", NULL};
    (void)state;
    assert_has(nadi_partition_bench_csv, lines);
}

/* Bars begin at 120 and are 440 long at all of direct parallel's bytes; rows begin at 56, 42 apart.
 */
static void svg(void **state)
{
    static const char *const lines[] = {
        "<text x=\"112\" y=\"77\" text-anchor=\"end\">mlp, 2 workers</text>\n",
        "<rect x=\"120\" y=\"56\" width=\"44.0\" height=\"10\" fill=\"#4477aa\"/>"
        "<text x=\"169.0\" y=\"65\" font-size=\"10\">10.0 % (0.50 %)</text>\n",
        "<rect x=\"120\" y=\"67\" width=\"330.0\" height=\"10\" fill=\"#ccbb44\"/>"
        "<text x=\"455.0\" y=\"76\" font-size=\"10\">75.0 %</text>\n",
        "<rect x=\"120\" y=\"78\" width=\"220.0\" height=\"10\" fill=\"#aa3377\"/>"
        "<text x=\"345.0\" y=\"87\" font-size=\"10\">50.0 %</text>\n",
        "<text x=\"112\" y=\"119\" text-anchor=\"end\">block, 16 workers</text>\n",
        "<rect x=\"120\" y=\"98\" width=\"220.0\" height=\"10\" fill=\"#4477aa\"/>"
        "<text x=\"345.0\" y=\"107\" font-size=\"10\">50.0 % (0.00 %)</text>\n",
        "<rect x=\"120\" y=\"109\" width=\"440.0\" height=\"10\" fill=\"#ccbb44\"/>",
        "viewBox=\"0 0 700 170\"",
        "</svg>\n",
        NULL};
    (void)state;
    assert_has(nadi_partition_bench_svg, lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(csv), cmocka_unit_test(svg)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
