/* columns_layers: the time of a rank by layer and pass. */
#include "report/columns.h"
#include "report/layers.h"

enum { FILE_ROW = 1, TABLE = 2 };

#define BOTH          (FILE_ROW | TABLE)
#define LAYER(member) NADI_MEMBER(nadi_layer_row, member)

static const struct nadi_column layer_columns[] = {
    {"trace", BOTH, LAYER(trace), .meaning = "number of its trace, of `ranks`"},
    {"rank", BOTH, LAYER(rank), .meaning = "whose times these are: the first that runs the trace"},
    {"layer", BOTH, LAYER(layer), .meaning = "as the names of nodes say; empty: of no layer"},
    {"pass", BOTH, LAYER(pass), .meaning = "`forward`, `backward`, `weight gradient`, ..."},
    {"nodes", BOTH, LAYER(nodes), .meaning = "executed ones, of all micro-batches"},
    {"start_ns", BOTH, LAYER(start_ns), .meaning = "when the first was issued"},
    {"end_ns", BOTH, LAYER(end_ns), .meaning = "when the last was done"},
    {"compute_ns", BOTH, LAYER(compute_ns), .meaning = "accelerator compute"},
    {"communication_ns", BOTH, LAYER(comm_ns),
     .meaning = "sum over collectives and messages, each from its issue to its end"},
    {"exposed_ns", BOTH, LAYER(exposed_ns),
     .meaning = "of it beside no compute; of several at once, of the one issued first"},
    {"all_reduce_ns", BOTH, LAYER(all_reduce_ns), .meaning = "of `communication_ns`"},
    {"all_gather_ns", BOTH, LAYER(all_gather_ns), .meaning = "likewise"},
    {"reduce_scatter_ns", BOTH, LAYER(reduce_scatter_ns), .meaning = "likewise"},
    {"all_to_all_ns", BOTH, LAYER(all_to_all_ns), .meaning = "likewise"},
    {"other_collective_ns", BOTH, LAYER(other_collective_ns), .meaning = "likewise"},
    {"message_ns", BOTH, LAYER(message_ns), .meaning = "likewise: sends and receives"},
    {"communication_bytes", BOTH, LAYER(comm_bytes), .meaning = "the sizes that the trace gives"},
    {"memory_ns", BOTH, LAYER(memory_ns), .meaning = "requests of remote memory"},
    {"memory_bytes", BOTH, LAYER(memory_bytes), .meaning = "their sizes"},
};

static void put_layers(struct nadi_rows *rows)
{
    struct nadi_layers layers;
    nadi_layers_find(&layers, rows->of->in, rows->of->r);
    for (size_t i = 0; i < layers.count; i++)
        if (!rows->db || nadi_detail_rank(rows->of->detail, layers.items[i].rank))
            nadi_rows_item(rows, &layers.items[i], i);
    nadi_layers_release(&layers);
}

const struct nadi_result_view nadi_view_layers_csv = {
    NADI_VIEW_CSV,
    "layers.csv",
    "a layer and pass of a trace, in order of their first nodes: `--layers`",
    NADI_COLUMNS(layer_columns),
    FILE_ROW,
    .put = put_layers,
    .title = "Layers"};

const struct nadi_result_view nadi_view_layers = {
    NADI_VIEW_DATABASE,          "layers", "a layer and pass of a trace",
    NADI_COLUMNS(layer_columns), TABLE,    .put = put_layers};
