/* columns_network: what the network carried: dimensions, links, packets; and its picture. */
#include "base/mem.h"
#include "base/time.h"
#include "report/columns.h"
#include "report/figures.h"
#include "report/run_drawing.h"

/* ---- links, and dimensions as sums of them ------------------------------------------------- */

enum {
    LINKS_FILE = 1, /* links.csv */
    DIMENSIONS = 2,
    LINKS = 4,
    PORTS = 8,
    DIMENSIONS_LISTED = 16, /* in summary.json */
    BUSIEST = 32,           /* there, bottlenecks */
    PACKETS = 64,           /* also in links.csv, of packets */
    ENERGY = 128,           /* also there and in summary.json, where energies are named */
    HASHED = 256,           /* also there, where hashes chose between links */
    STALLS = 512,
    FLITS = 1024, /* also there, of flits */
};

struct link_more {
    const char *row;
    struct nadi_dimension_view view; /* of a dimension; of a link its name and rate alone */
    uint64_t links;
    uint32_t from_box, to_box;
};

#define LINK(member) NADI_MEMBER(nadi_link_result, member)
#define MORE(member) NADI_MORE(link_more, member)

static struct nadi_cell device(struct nadi_result_row *row, uint32_t id, char text[64])
{
    if (id == NADI_NONE)
        return nadi_cell_empty();
    return nadi_cell_text(nadi_device_name(row->of->in, id, text));
}

NADI_GETTER(from_device, item, nadi_link_result, l, device(row, l->from, row->text[0]));
NADI_GETTER(to_device, item, nadi_link_result, l, device(row, l->to, row->text[1]));
/* Of links that no hash chose: nothing. */
NADI_GETTER(hashed_flows, item, nadi_link_result, l,
            l->even_flows > 0 ? nadi_cell_u64(l->hashed_flows) : nadi_cell_empty());
NADI_GETTER(even_flows, item, nadi_link_result, l,
            l->even_flows > 0 ? nadi_cell_real(l->even_flows) : nadi_cell_empty());
NADI_GETTER(idle_equals, item, nadi_link_result, l,
            l->even_flows > 0 ? nadi_cell_u64(l->idle_equals) : nadi_cell_empty());
NADI_GETTER(topology, more, link_more, more, nadi_cell_text(more->view.name));
NADI_GETTER(bytes_per_s, more, link_more, more, nadi_cell_real(more->view.bytes_per_ns * 1e9));

static struct nadi_cell utilisation(struct nadi_result_row *row)
{
    const struct nadi_link_result *l = row->item;
    const struct link_more *more = row->more;
    return nadi_cell_real(nadi_utilisation(l->busy_ns, more->links, row->of->r->end_ns));
}

#define SUMS  (LINKS_FILE | DIMENSIONS | LINKS | DIMENSIONS_LISTED)
#define QUEUE (LINKS_FILE | LINKS | BUSIEST)

static const struct nadi_column link_columns[] = {
    {"row", LINKS_FILE, MORE(row), .meaning = "`dimension` or `link`"},
    {"link", LINKS | PORTS | STALLS, .key = LINKS | PORTS | STALLS,
     NADI_GET(U64, nadi_cell_row_number),
     .meaning = "number of the link; of `ports` and `stalls` the one whose sending end it is"},
    {"dimension", LINKS_FILE | DIMENSIONS | LINKS | BUSIEST, .key = DIMENSIONS,
     NADI_INDEX(nadi_link_result, dim), .meaning = "number of the dimension"},
    {"topology", LINKS_FILE | DIMENSIONS | DIMENSIONS_LISTED, NADI_GET(TEXT, topology),
     .meaning = "its topology; in a network of nodes and links the roles of the nodes"},
    {"npus", DIMENSIONS | DIMENSIONS_LISTED, MORE(view.npus), .meaning = "NPUs along it"},
    {"from_device", QUEUE, .in_files = "from", NADI_GET(TEXT, from_device),
     .meaning = "a rank, or `switch 0`, or the node's name"},
    {"to_device", QUEUE, .in_files = "to", NADI_GET(TEXT, to_device), .meaning = "likewise"},
    {"link_gbps", DIMENSIONS | LINKS, MORE(view.bytes_per_ns), .unit = "10^9 bytes/s",
     .meaning = "bandwidth of a link; where links differ, of the first"},
    {"bandwidth_bytes_per_s", DIMENSIONS_LISTED, NADI_GET(REAL, bytes_per_s),
     .meaning = "the same in bytes/s"},
    {"latency_ns", DIMENSIONS | DIMENSIONS_LISTED, MORE(view.latency_ns),
     .meaning = "latency of a link, likewise"},
    {"links", LINKS_FILE | DIMENSIONS | DIMENSIONS_LISTED, MORE(links),
     .meaning = "links that carry its traffic"},
    {"messages", SUMS, LINK(messages),
     .meaning = "messages; in `packet` packets, ACKs included; of a dimension with a switch each "
                "once, on its way to the switch"},
    {"bytes", SUMS | BUSIEST, LINK(bytes), .meaning = "their bytes"},
    {"busy_ns", SUMS | BUSIEST, LINK(busy_ns),
     .meaning = "time that the link was occupied; `unaware`: sum of its messages' serialisation "
                "times; `flow`: bytes carried divided by the link's bandwidth at each time"},
    {"utilisation", SUMS | BUSIEST, NADI_GET(REAL, utilisation), .unit = "0 to 1",
     .meaning = "`busy_ns` divided by the number of links and the length of the run"},
    {"wait_ns", QUEUE, LINK(wait_ns),
     .meaning = "`aware`: how long all messages together waited for the link"},
    {"most_waiting", QUEUE, LINK(most_waiting),
     .meaning = "`aware`: how many waited at one time at most"},
    {"joules", DIMENSIONS | LINKS | ENERGY, LINK(joules), .unit = "J",
     .meaning = "with `--energy`: of its traffic, in the link and in the router that sends"},
    {"hashed_flows", LINKS | HASHED, NADI_GET(U64, hashed_flows),
     .meaning = "with `routing: ecmp`: flows (connections of a pair) that came to the link by "
                "hashes; of links that all flows must take nothing"},
    {"even_flows", LINKS | HASHED, NADI_GET(REAL, even_flows), .unit = "flows",
     .meaning = "how many it would be if each switch shared its flows out evenly"},
    {"idle_equals", LINKS | HASHED, NADI_GET(U64, idle_equals),
     .meaning = "links as far along the ways of the same flows that no flow took"},
    {"from_box", LINKS, NADI_INDEX(link_more, from_box), .of_more = true,
     .meaning = "of `drawing_boxes`, or null"},
    {"to_box", LINKS, NADI_INDEX(link_more, to_box), .of_more = true, .meaning = "likewise"},
    {"peak_queue_bytes", PORTS | PACKETS, LINK(peak_queue_bytes),
     .meaning = "`packet`: most that waited for the link in one class; a NIC's own queues are not "
                "counted"},
    {"pauses", PORTS | PACKETS, LINK(pauses), .meaning = "`packet`: pause frames received"},
    {"paused_ns", PORTS | PACKETS, LINK(paused_ns),
     .meaning = "`packet`: from a pause to the next resume"},
    {"flits", STALLS | FLITS, LINK(flits), .meaning = "`flit`: flits sent"},
    {"no_vc_ns", STALLS | FLITS, LINK(no_vc_ns),
     .meaning = "`flit`: how long all packets together waited for a virtual channel of the link"},
    {"no_credit_ns", STALLS | FLITS, LINK(no_credit_ns),
     .meaning = "`flit`: with a channel, for room in the buffer at its other end"},
    {"lost_turn_ns", STALLS | FLITS, LINK(lost_turn_ns),
     .meaning = "`flit`: with room, while the crossbar gave others the turn"},
    {"held_flits", STALLS | FLITS, LINK(held_flits), .unit = "flits",
     .meaning = "`flit`: mean of flits in all buffers at its other end"},
};

static unsigned more_columns(const struct nadi_result_data *of)
{
    return (of->r->has_packets ? PACKETS : 0u) | (of->r->has_flits ? FLITS : 0u) |
           (of->r->energy.catalogue ? ENERGY : 0u) | (of->r->spread.links ? HASHED : 0u);
}

static void dimension_more(const struct nadi_inputs *in, const struct nadi_result *r, uint32_t d,
                           struct link_more *more)
{
    *more = (struct link_more){.row = "dimension",
                               .links = nadi_dimension_links(in, r, r->dims[d].dim)};
    nadi_dimension_view(&more->view, in, r->dims[d].dim);
}

static void put_dimensions(struct nadi_rows *rows)
{
    for (uint32_t d = 0; d < rows->of->r->dim_count; d++) {
        struct link_more more;
        dimension_more(rows->of->in, rows->of->r, d, &more);
        nadi_rows_put(rows,
                      &(struct nadi_result_row){.item = &rows->of->r->dims[d], .more = &more});
    }
}

static void put_links(struct nadi_rows *rows)
{
    const struct nadi_result *r = rows->of->r;
    struct link_more *dims = NADI_NEW(struct link_more, r->dim_count);
    for (uint32_t d = 0; d < r->dim_count; d++)
        dimension_more(rows->of->in, r, d, &dims[d]);
    for (size_t i = 0; i < r->link_count; i++) {
        const struct nadi_link_result *l = &r->links[i];
        struct link_more more = {.row = "link", .links = 1};
        if (l->dim < r->dim_count)
            memcpy(more.view.name, dims[l->dim].view.name, sizeof(more.view.name));
        more.view.bytes_per_ns = l->bytes_per_ns;
        if (rows->of->drawing) {
            more.from_box = nadi_run_drawing_box(rows->of->drawing, l->from);
            more.to_box = nadi_run_drawing_box(rows->of->drawing, l->to);
        }
        nadi_rows_put(rows, &(struct nadi_result_row){.item = l, .more = &more, .index = i});
    }
    nadi_mem_free(dims);
}

static void put_dimensions_and_links(struct nadi_rows *rows)
{
    put_dimensions(rows);
    put_links(rows);
}

static void put_ports(struct nadi_rows *rows)
{
    if (rows->of->r->has_packets)
        put_links(rows);
}

static void put_stalls(struct nadi_rows *rows)
{
    if (rows->of->r->has_flits)
        put_links(rows);
}

void nadi_dimension_json(const struct nadi_result_data *of, uint32_t d, struct nadi_json *j)
{
    struct link_more more;
    dimension_more(of->in, of->r, d, &more);
    nadi_view_json(&nadi_view_dimensions_json,
                   &(struct nadi_result_row){.of = of, .item = &of->r->dims[d], .more = &more}, j);
}

void nadi_bottleneck_json(const struct nadi_result_data *of, const struct nadi_link_result *l,
                          struct nadi_json *j)
{
    const struct link_more more = {.links = 1};
    nadi_view_json(&nadi_view_bottlenecks_json,
                   &(struct nadi_result_row){.of = of, .item = l, .more = &more}, j);
}

const struct nadi_result_view nadi_view_links_csv = {
    NADI_VIEW_CSV,
    "links.csv",
    "a dimension; then each link, not in `unaware`",
    NADI_COLUMNS(link_columns),
    LINKS_FILE,
    .also = more_columns,
    .extra = PACKETS | ENERGY | HASHED | FLITS,
    .put = put_dimensions_and_links,
    .title = "Dimensions and links"};

const struct nadi_result_view nadi_view_dimensions = {
    NADI_VIEW_DATABASE,         "dimensions", "a dimension",
    NADI_COLUMNS(link_columns), DIMENSIONS,   .put = put_dimensions};

const struct nadi_result_view nadi_view_links = {
    NADI_VIEW_DATABASE,         "links", "a link; none in `unaware`",
    NADI_COLUMNS(link_columns), LINKS,   .put = put_links};

const struct nadi_result_view nadi_view_ports = {
    NADI_VIEW_DATABASE,         "ports", "a link; in `packet` alone",
    NADI_COLUMNS(link_columns), PORTS,   .put = put_ports};

const struct nadi_result_view nadi_view_stalls = {
    NADI_VIEW_DATABASE,         "stalls", "a link; in `flit` alone",
    NADI_COLUMNS(link_columns), STALLS,   .put = put_stalls};

const struct nadi_result_view nadi_view_dimensions_json = {
    NADI_VIEW_JSON, "network.dimensions", "a dimension", NADI_COLUMNS(link_columns),
    DIMENSIONS_LISTED};

const struct nadi_result_view nadi_view_bottlenecks_json = {NADI_VIEW_JSON, "network.bottlenecks",
                                                            "one of the ten busiest links",
                                                            NADI_COLUMNS(link_columns), BUSIEST};

/* ---- how hashes spread flows ----------------------------------------------------------------- */

static const struct nadi_column spread_columns[] = {
    {"links", 3, NADI_MEMBER(nadi_spread_result, links),
     .meaning = "links that hashes decide on, `routing: ecmp`"},
    {"collisions", 3, NADI_MEMBER(nadi_spread_result, collisions),
     .meaning = "of them those that carry several flows while an equal one carries none"},
};

static void put_spread(struct nadi_rows *rows)
{
    if (rows->of->r->spread.links)
        nadi_rows_put(rows, &(struct nadi_result_row){.item = &rows->of->r->spread});
}

const struct nadi_result_view nadi_view_hashing = {NADI_VIEW_DATABASE,
                                                   "hashing",
                                                   "the run, with `routing: ecmp`",
                                                   NADI_COLUMNS(spread_columns),
                                                   1,
                                                   .put = put_spread,
                                                   .title = "How hashes spread flows"};
const struct nadi_result_view nadi_view_hashing_json = {NADI_VIEW_JSON, "network.hashing",
                                                        "the run, with `routing: ecmp`",
                                                        NADI_COLUMNS(spread_columns), 2};

/* ---- what switches could not do at once ----------------------------------------------------- */

static struct nadi_cell conflict_answer(struct nadi_result_row *row)
{
    return nadi_cell_text(row->of->in->options.fabric_stops ? "stop" : "serialise");
}

static const struct nadi_column fabric_columns[] = {
    {"conflicts", 3, NADI_MEMBER(nadi_fabric_result, conflicts),
     .meaning = "times that a message waited because a switch could not route it beside others"},
    {"preemptions", 3, NADI_MEMBER(nadi_fabric_result, preemptions),
     .meaning = "times that a message gave way to a more urgent one"},
    {"on_conflict", 3, NADI_GET(TEXT, conflict_answer),
     .meaning = "what a conflict leads to: `serialise`, `stop`"},
};

static void put_fabric(struct nadi_rows *rows)
{
    if (rows->of->r->fabric.counted)
        nadi_rows_put(rows, &(struct nadi_result_row){.item = &rows->of->r->fabric});
}

const struct nadi_result_view nadi_view_fabric = {NADI_VIEW_DATABASE,
                                                  "fabric",
                                                  "the run, in `fabric` alone",
                                                  NADI_COLUMNS(fabric_columns),
                                                  1,
                                                  .put = put_fabric,
                                                  .title = "Switches that route flows"};
const struct nadi_result_view nadi_view_fabric_json = {NADI_VIEW_JSON, "network.fabric",
                                                       "the run, in `fabric` alone",
                                                       NADI_COLUMNS(fabric_columns), 2};

/* ---- what links carried over time ---------------------------------------------------------- */

enum { USAGE_FILE = 1, USAGE = 2 };

struct usage {
    uint64_t bucket, start_whole_ns, end_whole_ns;
    double start_ns, end_ns, bytes, utilisation;
    uint32_t depths[NADI_DEPTH_QUEUE_BYTES + 1]; /* of a model the one that it counts */
};

#define USED(member) NADI_MORE(usage, member)
#define DEPTH(of)    NADI_INDEX(usage, depths[NADI_DEPTH_##of]), .of_more = true

static const struct nadi_column usage_columns[] = {
    {"link", USAGE, NADI_GET(U64, nadi_cell_row_number), .meaning = "number of the link"},
    {"bucket", USAGE, USED(bucket), .meaning = "number of the span of time"},
    {"dimension", USAGE_FILE, NADI_INDEX(nadi_link_result, dim),
     .meaning = "number of its dimension"},
    {"from", USAGE_FILE, NADI_GET(TEXT, from_device), .meaning = "as in `links.csv`"},
    {"to", USAGE_FILE, NADI_GET(TEXT, to_device), .meaning = "likewise"},
    {"start_ns", USAGE_FILE, USED(start_whole_ns)},
    {"end_ns", USAGE_FILE, USED(end_whole_ns)},
    {"start_ns", USAGE, USED(start_ns),
     .meaning = "where the span begins; its width is a power of two of ns"},
    {"end_ns", USAGE, USED(end_ns),
     .meaning = "where it ends; the last one in the file with the "
                "run"},
    {"bytes", USAGE_FILE | USAGE, USED(bytes), .meaning = "what the link carried"},
    {"utilisation", USAGE_FILE, USED(utilisation), .unit = "0 to 1",
     .meaning = "`bytes` divided by what it could have carried"},
    {"most_waiting", USAGE_FILE | USAGE, DEPTH(MESSAGES),
     .meaning = "`aware`: messages that waited for the link, at one time at most"},
    {"most_flows", USAGE_FILE | USAGE, DEPTH(FLOWS),
     .meaning = "`flow`: pairs of ranks whose messages shared it, likewise"},
    {"most_queue_bytes", USAGE_FILE | USAGE, DEPTH(QUEUE_BYTES),
     .meaning = "`packet`: in the queue before it when the model looked, about once a span"},
};

static void usage_of(const struct nadi_result *r, size_t link, uint32_t bucket, struct usage *u)
{
    const size_t at = link * r->usage.buckets + bucket;
    const double start = bucket * r->usage.bucket_ns, end = start + nadi_usage_span_ns(r, bucket);
    *u = (struct usage){
        .bucket = bucket,
        .start_ns = start,
        .end_ns = (bucket + 1) * r->usage.bucket_ns,
        .start_whole_ns = nadi_count_trunc(start),
        .end_whole_ns = nadi_count_trunc(end),
        .bytes = r->usage.bytes[at],
        .utilisation = nadi_usage_share(r, bucket, r->usage.bytes[at], r->links[link].bytes_per_ns),
    };
    memset(u->depths, 0xff, sizeof(u->depths));
    u->depths[r->usage.depth_of] = r->usage.depth[at];
}

static void put_usage(struct nadi_rows *rows)
{
    const struct nadi_result *r = rows->of->r;
    for (size_t i = 0; r->usage.buckets && i < r->link_count; i++)
        for (uint32_t b = 0; b < r->usage.buckets; b++) {
            struct usage u;
            usage_of(r, i, b, &u);
            if (u.bytes > 0 || r->usage.depth[i * r->usage.buckets + b] > 0 || !rows->db)
                nadi_rows_put(
                    rows, &(struct nadi_result_row){.item = &r->links[i], .more = &u, .index = i});
        }
}

const struct nadi_result_view nadi_view_link_usage_csv = {
    NADI_VIEW_CSV,
    "link_usage.csv",
    "a link and one of at most 64 equal spans of time: `--link-usage`",
    NADI_COLUMNS(usage_columns),
    USAGE_FILE,
    .put = put_usage,
    .title = "Links over time"};

const struct nadi_result_view nadi_view_link_usage = {
    NADI_VIEW_DATABASE,          "link_usage", "a link and a span in which something was there",
    NADI_COLUMNS(usage_columns), USAGE,        .put = put_usage};

/* ---- packets ------------------------------------------------------------------------------- */

enum { COUNTED = 1, SUMMED = 2 };

#define PACKET(member) NADI_MEMBER(nadi_packet_figures, member)

NADI_GETTER(frames, item, nadi_packet_figures, f, nadi_cell_u64(f->pauses + f->resumes));

static const struct nadi_column packet_figure_columns[] = {
    {"data", COUNTED | SUMMED, PACKET(data_packets), .meaning = "data packets"},
    {"retransmitted", COUNTED | SUMMED, PACKET(retransmitted), .meaning = "sent again"},
    {"dropped", COUNTED | SUMMED, PACKET(dropped), .meaning = "dropped for want of room"},
    {"trimmed", COUNTED | SUMMED, PACKET(trimmed), .meaning = "cut to their headers"},
    {"timeouts", COUNTED | SUMMED, PACKET(timeouts), .meaning = "timeouts of senders"},
    {"abandoned", COUNTED, PACKET(abandoned), .meaning = "messages given up"},
    {"ecn_marks", COUNTED | SUMMED, PACKET(marks), .meaning = "packets marked"},
    {"pfc_frames", SUMMED, NADI_GET(U64, frames), .meaning = "pause and resume frames received"},
    {"pfc_pauses", COUNTED | SUMMED, PACKET(pauses), .meaning = "of them pauses"},
    {"pfc_resumes", COUNTED, PACKET(resumes), .meaning = "of them resumes"},
    {"paused_ns", COUNTED | SUMMED, PACKET(paused_ns), .meaning = "sum over links"},
    {"peak_queue_bytes", COUNTED | SUMMED, PACKET(peak_queue_bytes),
     .meaning = "of one class of one port of a switch"},
    {"mean_peak_queue_bytes", COUNTED | SUMMED, PACKET(mean_peak_queue_bytes),
     .meaning = "mean of the ports that carried something"},
};

static void put_packets(struct nadi_rows *rows)
{
    if (rows->of->r->has_packets)
        nadi_rows_item(rows, &rows->of->r->packets, 0);
}

const struct nadi_result_view nadi_view_packets = {NADI_VIEW_DATABASE,
                                                   "packets",
                                                   "the run; in `packet` alone",
                                                   NADI_COLUMNS(packet_figure_columns),
                                                   COUNTED,
                                                   .put = put_packets,
                                                   .title = "Packets"};

const struct nadi_result_view nadi_view_packets_json = {
    NADI_VIEW_JSON, "network.packets", "the run; in `packet` alone",
    NADI_COLUMNS(packet_figure_columns), SUMMED};

struct pause_span {
    uint64_t pauses;
    double start_ns, end_ns, paused_ns;
};

static const struct nadi_column pause_columns[] = {
    {"bucket", 1, .key = 1, NADI_GET(U64, nadi_cell_row_number),
     .meaning = "number of the span of time"},
    {"start_ns", 1, NADI_MEMBER(pause_span, start_ns), .meaning = "where it begins"},
    {"end_ns", 1, NADI_MEMBER(pause_span, end_ns), .meaning = "where it ends"},
    {"pauses", 1, NADI_MEMBER(pause_span, pauses), .meaning = "pause frames"},
    {"paused_ns", 1, NADI_MEMBER(pause_span, paused_ns),
     .meaning = "sum over links: divided by the length of the span, the mean number of paused "
                "links"},
};

static void put_pauses(struct nadi_rows *rows)
{
    const struct nadi_packet_figures *f = &rows->of->r->packets;
    for (uint32_t b = 0; rows->of->r->has_packets && f->pauses && b < NADI_USAGE_BUCKETS; b++) {
        const struct pause_span span = {
            .start_ns = b * f->pause_bucket_ns,
            .end_ns = (b + 1) * f->pause_bucket_ns,
            .pauses = nadi_count_trunc(f->pauses_over_time[b]),
            .paused_ns = f->paused_over_time[b],
        };
        if (f->pauses_over_time[b] > 0 || span.paused_ns > 0)
            nadi_rows_item(rows, &span, b);
    }
}

const struct nadi_result_view nadi_view_pauses = {
    NADI_VIEW_DATABASE,
    "pauses",
    "one of at most 64 equal spans of time with a pause in it; in `packet` alone",
    NADI_COLUMNS(pause_columns),
    1,
    .put = put_pauses,
    .title = "Pauses over time"};

/* ---- the picture --------------------------------------------------------------------------- */

#define BOX(member) NADI_MEMBER(nadi_topo_box, member)

static struct nadi_cell label(struct nadi_result_row *row)
{
    nadi_topo_label(row->of->drawing, row->item, row->text[0]);
    return nadi_cell_text(row->text[0]);
}

NADI_GETTER(box_rank, item, nadi_topo_box, b,
            nadi_cell_index(b->count == 1 && !b->more ? row->of->drawing->g->nodes[b->first].host
                                                      : NADI_NONE));

static const struct nadi_column box_columns[] = {
    {"box", 1, .key = 1, NADI_GET(U64, nadi_cell_row_number), .meaning = "number of the box"},
    {"x", 1, BOX(x), .meaning = "its centre"},
    {"y", 1, BOX(y), .meaning = "likewise"},
    {"w", 1, BOX(w), .meaning = "its width"},
    {"h", 1, BOX(h), .meaning = "its height"},
    {"role", 1, BOX(role), .meaning = "of its nodes"},
    {"label", 1, NADI_GET(TEXT, label), .meaning = "what stands in it"},
    {"devices", 1, BOX(count), .meaning = "how many it stands for"},
    {"rank", 1, NADI_GET(U64, box_rank), .meaning = "of a box that is one"},
};

static void put_boxes(struct nadi_rows *rows)
{
    const struct nadi_topo_drawing *d = rows->of->drawing;
    for (size_t i = 0; i < d->boxes.count; i++)
        nadi_rows_item(rows, &d->boxes.items[i], i);
}

static const struct nadi_column line_columns[] = {
    {"from_box", 1, NADI_MEMBER(nadi_topo_line, a), .meaning = "a box"},
    {"to_box", 1, NADI_MEMBER(nadi_topo_line, b), .meaning = "another"},
    {"cables", 1, NADI_MEMBER(nadi_topo_line, count), .meaning = "between the two"},
};

static void put_lines(struct nadi_rows *rows)
{
    struct nadi_topo_lines lines = {0};
    if (!rows->of->drawing->g)
        return;
    nadi_topo_lines_find(rows->of->drawing, &lines);
    for (size_t i = 0; i < lines.count; i++)
        nadi_rows_item(rows, &lines.items[i], i);
    nadi_mem_free(lines.items);
}

#define FRAME(member) NADI_MEMBER(nadi_topo_frame, member)

NADI_GETTER(frame_label, item, nadi_topo_frame, f, nadi_cell_text(f->label));

static const struct nadi_column frame_columns[] = {
    {"x", 1, FRAME(x), .meaning = "its left upper corner"},
    {"y", 1, FRAME(y), .meaning = "likewise"},
    {"w", 1, FRAME(w), .meaning = "its width"},
    {"h", 1, FRAME(h), .meaning = "its height"},
    {"label", 1, NADI_GET(TEXT, frame_label), .meaning = "the pod or group"},
};

static void put_frames(struct nadi_rows *rows)
{
    const struct nadi_topo_drawing *d = rows->of->drawing;
    for (size_t i = 0; i < d->frames.count; i++)
        nadi_rows_item(rows, &d->frames.items[i], i);
}

const struct nadi_result_view nadi_view_drawing_boxes = {
    NADI_VIEW_DATABASE,
    "drawing_boxes",
    "a box of the picture of a network of nodes and links, as `nadi topo --svg` draws it",
    NADI_COLUMNS(box_columns),
    1,
    .put = put_boxes,
    .title = "The picture: boxes"};

const struct nadi_result_view nadi_view_drawing_lines = {NADI_VIEW_DATABASE,
                                                         "drawing_lines",
                                                         "a line of it",
                                                         NADI_COLUMNS(line_columns),
                                                         1,
                                                         .put = put_lines,
                                                         .title = "The picture: lines"};

const struct nadi_result_view nadi_view_drawing_frames = {NADI_VIEW_DATABASE,
                                                          "drawing_frames",
                                                          "a frame of it, around a pod or group",
                                                          NADI_COLUMNS(frame_columns),
                                                          1,
                                                          .put = put_frames,
                                                          .title = "The picture: frames"};
