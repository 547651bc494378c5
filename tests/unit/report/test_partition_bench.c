/* The benchmark of networks taken apart: each form of it, of figures that are given. */
#include "report/partition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Each figure is another; the second row: nothing to send in direct parallel, other answers. */
static struct nadi_partition_bench_row rows[] = {
    {.net = "digits-2",
     .workers = 4,
     .accuracy = 0.91,
     .base = 0.95,
     .magnitude = {.accuracy = 0.87, .bytes = 300},
     .graph = {.accuracy = 0.83, .bytes = 400},
     .bytes = 100,
     .direct = 1000,
     .tensor = 500,
     .macs = 600,
     .direct_macs = 800,
     .same = 70,
     .checked = 70,
     .mu = 0.125},
    {.net = "one",
     .workers = 1,
     .accuracy = 1,
     .base = 0.5,
     .macs = 3,
     .direct_macs = 2,
     .same = 8,
     .checked = 9},
};
static const struct nadi_partition_bench bench = {rows, 2};

static void every_form(void **state)
{
    struct nadi_str text = NADI_STR_INIT, json = NADI_STR_INIT, csv = NADI_STR_INIT,
                    svg = NADI_STR_INIT;
    (void)state;
    nadi_partition_bench_text(&bench, &text);
    assert_string_equal(
        nadi_str_get(&text),
        "  net    workers   bytes  direct   traffic      MACs     loss     tensor  magnitude     "
        "            graph             bits\n"
        "  digits-2        4     100    1000    10.0 %    75.0 %   4.00 %     50.0 %     30.0 %  "
        "  87.00 %     40.0 %    83.00 %  same\n"
        "  one          1       0       0   100.0 %   150.0 %  -50.00 %    100.0 %    100.0 %    "
        " 0.00 %    100.0 %     0.00 %  other\n"
        "\n"
        "traffic, MACs: of direct parallel's; loss: of accuracy on samples that neither training "
        "nor search saw;\n"
        "tensor: bytes of columns and rows in turns, of direct parallel's, without loss; "
        "magnitude, graph: bytes of direct\n"
        "parallel's when pruned down to the allowed loss, accuracy when pruned to the "
        "partition's bytes; bits: the workers'\n"
        "outputs and those of one place\n");
    nadi_partition_bench_json(&bench, &json);
    assert_string_equal(
        nadi_str_get(&json),
        "{\n"
        "  \"schema\": \"nadi-partition-bench/1\",\n"
        "  \"rows\": [\n"
        "    {\"net\": \"digits-2\", \"workers\": 4, \"bytes\": 100, \"direct_bytes\": 1000, "
        "\"tensor_bytes\": 500, \"macs\": 600, \"direct_macs\": 800, \"accuracy\": 0.91, "
        "\"base_accuracy\": 0.95, \"magnitude_accuracy\": 0.87, \"magnitude_bytes\": 300, "
        "\"graph_accuracy\": 0.83, \"graph_bytes\": 400, \"mu\": 0.125, \"samples_same\": 70, "
        "\"samples_checked\": 70},\n"
        "    {\"net\": \"one\", \"workers\": 1, \"bytes\": 0, \"direct_bytes\": 0, "
        "\"tensor_bytes\": 0, \"macs\": 3, \"direct_macs\": 2, \"accuracy\": 1, "
        "\"base_accuracy\": 0.5, \"magnitude_accuracy\": 0, \"magnitude_bytes\": 0, "
        "\"graph_accuracy\": 0, \"graph_bytes\": 0, \"mu\": 0, \"samples_same\": 8, "
        "\"samples_checked\": 9}\n"
        "  ]\n"
        "}\n");
    nadi_partition_bench_csv(&bench, &csv);
    assert_string_equal(
        nadi_str_get(&csv),
        "net,workers,bytes,direct_bytes,tensor_bytes,macs,direct_macs,accuracy,base_accuracy,mag"
        "nitude_accuracy,magnitude_bytes,graph_accuracy,graph_bytes,mu,samples_same,samples_chec"
        "ked\n"
        "digits-2,4,100,1000,500,600,800,0.91,0.95,0.87,300,0.83,400,0.125,70,70\n"
        "one,1,0,0,0,3,2,1,0.5,0,0,0,0,0,8,9\n");
    nadi_partition_bench_svg(&bench, &svg);
    assert_string_equal(
        nadi_str_get(&svg),
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 700 170\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        "<text x=\"120\" y=\"18\">bytes of an inference, of direct parallel's, with the allowed "
        "loss of accuracy</text>\n"
        "<text x=\"120\" y=\"36\" font-size=\"11\"><tspan fill=\"#4477aa\">partition (its "
        "loss)</tspan>  <tspan fill=\"#998822\">pruning by magnitude</tspan>  <tspan "
        "fill=\"#aa3377\">partition of the graph, pruned</tspan></text>\n"
        "<line x1=\"120\" y1=\"50\" x2=\"120\" y2=\"146\" stroke=\"#dddddd\"/><text x=\"120\" "
        "y=\"162\" text-anchor=\"middle\">0 %</text>\n"
        "<line x1=\"208\" y1=\"50\" x2=\"208\" y2=\"146\" stroke=\"#dddddd\"/><text x=\"208\" "
        "y=\"162\" text-anchor=\"middle\">20 %</text>\n"
        "<line x1=\"296\" y1=\"50\" x2=\"296\" y2=\"146\" stroke=\"#dddddd\"/><text x=\"296\" "
        "y=\"162\" text-anchor=\"middle\">40 %</text>\n"
        "<line x1=\"384\" y1=\"50\" x2=\"384\" y2=\"146\" stroke=\"#dddddd\"/><text x=\"384\" "
        "y=\"162\" text-anchor=\"middle\">60 %</text>\n"
        "<line x1=\"472\" y1=\"50\" x2=\"472\" y2=\"146\" stroke=\"#dddddd\"/><text x=\"472\" "
        "y=\"162\" text-anchor=\"middle\">80 %</text>\n"
        "<line x1=\"560\" y1=\"50\" x2=\"560\" y2=\"146\" stroke=\"#dddddd\"/><text x=\"560\" "
        "y=\"162\" text-anchor=\"middle\">100 %</text>\n"
        "<text x=\"112\" y=\"77\" text-anchor=\"end\">digits-2, 4 workers</text>\n"
        "<rect x=\"120\" y=\"56\" width=\"44.0\" height=\"10\" fill=\"#4477aa\"/><text "
        "x=\"169.0\" y=\"65\" font-size=\"10\">10.0 % (4.00 %)</text>\n"
        "<rect x=\"120\" y=\"67\" width=\"132.0\" height=\"10\" fill=\"#ccbb44\"/><text "
        "x=\"257.0\" y=\"76\" font-size=\"10\">30.0 %</text>\n"
        "<rect x=\"120\" y=\"78\" width=\"176.0\" height=\"10\" fill=\"#aa3377\"/><text "
        "x=\"301.0\" y=\"87\" font-size=\"10\">40.0 %</text>\n"
        "<text x=\"112\" y=\"119\" text-anchor=\"end\">one, 1 workers</text>\n"
        "<rect x=\"120\" y=\"98\" width=\"440.0\" height=\"10\" fill=\"#4477aa\"/><text "
        "x=\"565.0\" y=\"107\" font-size=\"10\">100.0 % (-50.00 %)</text>\n"
        "<rect x=\"120\" y=\"109\" width=\"440.0\" height=\"10\" fill=\"#ccbb44\"/><text "
        "x=\"565.0\" y=\"118\" font-size=\"10\">100.0 %</text>\n"
        "<rect x=\"120\" y=\"120\" width=\"440.0\" height=\"10\" fill=\"#aa3377\"/><text "
        "x=\"565.0\" y=\"129\" font-size=\"10\">100.0 %</text>\n"
        "</svg>\n");
    nadi_str_release(&text);
    nadi_str_release(&json);
    nadi_str_release(&csv);
    nadi_str_release(&svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
