/* run_db_schema: the tables of run.db. Units stand in the names: _ns, _bytes, _gbps (10^9 bytes a
 * second). */
#include "report/run_db.h"

/* A compiler need not take a longer text in one. */
static const char cluster[] =
    "create table runs(schema text, nadi text, workload text, outcome text, network_model text,"
    " executor text, ranks integer, classes integer, nodes integer, end_ns integer,"
    " lower_bound_ns integer, messages integer, moved_bytes integer, offered_bytes integer,"
    " slack_is_exact integer, no_path_because text, summary text);"
    "create table ranks(rank integer primary key, trace integer, class integer, finished integer,"
    " finish_ns integer, compute_ns integer, communication_ns integer,"
    " true_exposed_comm_ns integer, exposed_comm_ns integer, memory_ns integer, cpu_ns integer,"
    " idle_ns integer, peak_memory_bytes integer, nodes_done integer, nodes_open integer);"
    "create table memberships(rank integer, group_name text, first_rank integer, ranks integer);"
    "create table shares(rank integer, cause text, ns integer);"
    "create table dimensions(dimension integer primary key, topology text, npus integer,"
    " link_gbps real, latency_ns real, links integer, messages integer, bytes integer,"
    " busy_ns integer, utilisation real);"
    "create table links(link integer primary key, dimension integer, from_device text,"
    " to_device text, link_gbps real, messages integer, bytes integer, busy_ns integer,"
    " utilisation real, wait_ns integer, most_waiting integer, from_box integer,"
    " to_box integer);"
    /* a network of nodes and links as `nadi topo --svg` draws it */
    "create table drawing_boxes(box integer primary key, x real, y real, w real, h real,"
    " role text, label text, devices integer, rank integer);"
    "create table drawing_lines(from_box integer, to_box integer, cables integer);"
    "create table drawing_frames(x real, y real, w real, h real, label text);"
    "create table link_usage(link integer, bucket integer, start_ns real, end_ns real,"
    " bytes real, most_waiting integer, most_flows integer, most_queue_bytes integer);"
    /* packet model only */
    "create table packets(data integer, retransmitted integer, dropped integer, trimmed integer,"
    " timeouts integer, abandoned integer, ecn_marks integer, pfc_pauses integer,"
    " pfc_resumes integer, paused_ns integer, peak_queue_bytes integer,"
    " mean_peak_queue_bytes real);"
    "create table ports(link integer primary key, peak_queue_bytes integer, pauses integer,"
    " paused_ns integer);"
    "create table pauses(bucket integer primary key, start_ns real, end_ns real, pauses integer,"
    " paused_ns real);"
    /* with --samples: ends of the run, ascending */
    "create table samples(sample integer primary key, end_ns integer);";

static const char operations[] =
    "create table collectives(collective integer primary key, group_name text, sequence integer,"
    " kind text, name text, first_rank integer, node integer, ranks integer,"
    " participants integer, instances integer, chunks integer, bytes integer, start_ns integer,"
    " end_ns integer, duration_ns integer, complete integer, nccl_bytes real,"
    " algorithm_gbps real, bus_gbps real);"
    "create table ops(trace integer, node integer, name text, type text, collective text,"
    " group_name text, bytes integer, flop integer, plan integer, primary key(trace, node))"
    " without rowid;"
    /* what every chunk of a collective does; ops has the plan */
    "create table phases(plan integer, phase integer, dimension integer, algorithm text,"
    " chunks integer, messages integer, message_bytes integer, share real);"
    /* of collectives, where the network recorded them */
    "create table messages(group_name text, sequence integer, source integer,"
    " destination integer, bytes integer, send_ns integer, arrive_ns integer, waited_ns integer,"
    " queued_ns integer, link integer);"
    "create table completions(size integer primary key, least_bytes integer,"
    " below_bytes integer, messages integer, p50_ns integer, p90_ns integer, p99_ns integer,"
    " max_ns integer);"
    "create table in_flight(bucket integer primary key, start_ns real, end_ns real, bytes real,"
    " messages real);"
    "create table not_known(what text, because text);"
    "create table spans(rank integer, node integer, track text, start_ns integer, end_ns integer,"
    " slack_ns integer);"
    "create table point_to_point(source integer, send_node integer, destination integer,"
    " receive_node integer, send_ns integer, arrive_ns integer);"
    "create table critical_path(step integer primary key, start_ns integer, end_ns integer,"
    " duration_ns integer, rank integer, node integer, name text, cause text, bound_by text,"
    " group_name text, dimension integer, algorithm text, link integer);"
    "create table sensitivities(parameter text, dimension integer, value real, unit text,"
    " path_ns_per_unit real, path_gain_ns real, gain_small_ns integer, gain_large_ns integer,"
    " next_cause text, ns_per_unit real, derivative_by text);"
    "create table bounds(bound text, ns integer);"
    "create view timeline as select s.rank, s.track, o.name, o.type, o.group_name, o.bytes,"
    " s.start_ns, s.end_ns, s.end_ns - s.start_ns as duration_ns, s.slack_ns, s.node"
    " from spans s join ranks r on r.rank = s.rank"
    " join ops o on o.trace = r.trace and o.node = s.node;";

void nadi_run_db_schema(struct nadi_str *out)
{
    nadi_str_add(out, cluster);
    nadi_str_add(out, operations);
}
