#include "base/str.h"
#include "cli/cmd_model.h"
#include "cli/command.h"
#include "cli/trace_commands.h"

const struct nadi_command nadi_commands[] = {
    {
        .name = "run",
        .group = "Simulate",
        .summary = "Simulate a workload on a cluster",
        .about = "Takes one Chakra trace a rank through the system, the network and the memory "
                 "that the\n"
                 "files describe, and says how long it takes and where the time goes.\n",
        .examples = "nadi run --workload out/demo/workload --system out/demo/system.json \\\n"
                    "         --network out/demo/network.yml --out out/demo/result\n",
        .options = nadi_run_groups,
        .run = nadi_cmd_run,
    },
    {
        .name = "check",
        .group = "Simulate",
        .summary = "Find what is wrong with the inputs without simulating",
        .about =
            "Reads the same files as `nadi run` and holds the ranks' traces against each other:\n"
            "collectives of a group in the same order, kind and size, sends and receives in "
            "pairs.\n",
        .examples =
            "nadi check --workload traces/step --system system.json --network network.yml\n",
        .options = nadi_check_groups,
        .run = nadi_cmd_check,
    },
    {
        .name = "report",
        .group = "Results",
        .summary = "Say why a run took so long, on a page or in the terminal",
        .words = "RUN...",
        .about = "RUN is the folder of `nadi run --out`. Several runs are compared. What is in it: "
                 "docs/guide/report.md.\n",
        .examples = "nadi report result -o report.html\n"
                    "nadi report before after -o compared.html\n"
                    "nadi report result --text\n",
        .options = nadi_report_groups,
        .max_words = 64,
        .run = nadi_cmd_report,
    },
    {
        .name = "diff",
        .group = "Results",
        .summary = "Say what two runs differ in",
        .words = "FIRST SECOND",
        .about =
            "End to end, critical path, time of the ranks, collectives, settings; what differs "
            "most comes first.\n",
        .examples = "nadi diff before after\n",
        .options = nadi_diff_groups,
        .max_words = 2,
        .run = nadi_cmd_diff,
    },
    {
        .name = "query",
        .group = "Results",
        .summary = "Ask the database of a run with SQL",
        .words = "RUN SELECT",
        .about = "RUN is the folder of `nadi run --out`, or the run.db in it. Tables and columns: "
                 "docs/guide/database.md.\n",
        .examples =
            "nadi query result \"select cause, sum(duration_ns) from critical_path group by "
            "cause\"\n"
            "nadi query result \"select * from timeline where rank = 0\" --format jsonl\n",
        .options = nadi_query_groups,
        .max_words = 2,
        .run = nadi_cmd_query,
    },
    {
        .name = "gen collective",
        .group = "Make traces",
        .summary = "Write the traces of one collective, as a micro-benchmark",
        .about = "Kinds: all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, reduce, "
                 "gather,\n"
                 "scatter, reduce-scatter-block, barrier.\n",
        .examples = "nadi gen collective --kind all-reduce --ranks 8 --bytes 100MiB -o out/ar\n",
        .options = nadi_gen_collective_groups,
        .run = nadi_cmd_gen_collective,
    },
    {
        .name = "gen demo",
        .group = "Make traces",
        .summary = "Write the example: one training step, its system and its network",
        .about =
            "A data-parallel step of a GPT-like model of 1.3 billion parameters; gradients are\n"
            "all-reduced while the backward pass goes on.\n",
        .examples = "nadi gen demo -o out/demo\n",
        .options = nadi_gen_demo_groups,
        .run = nadi_cmd_gen_demo,
    },
    {
        .name = "gen transformer",
        .group = "Make traces",
        .summary = "Write a training step on tensor-, data- and pipeline-parallel ranks",
        .about = "Micro-batches pass the stages one forward, one backward; every layer all-reduces "
                 "its\n"
                 "activations among the tensor ranks, and at the end its gradients among the data "
                 "ranks.\n"
                 "A manifest keeps it to one trace a stage, whatever the number of ranks.\n",
        .examples = "nadi gen transformer --tensor 8 --data 8192 --pipeline 16 --layers 96 \\\n"
                    "                     --micro-batches 384 -o out/million\n"
                    "nadi run --workload out/million/workload.yml --system out/million/system.json "
                    "\\\n"
                    "         --network out/million/network.yml\n",
        .options = nadi_gen_transformer_groups,
        .run = nadi_cmd_gen_transformer,
    },
    {
        .name = "gen collectives",
        .group = "Make traces",
        .summary =
            "Write traces of every collective kind, size and group size, one after the other",
        .about = "Ranks that follow each other form a group. The simulator communicates the first "
                 "four kinds of\n"
                 "`nadi gen collective`; the others take no time, with a warning.\n",
        .examples =
            "nadi gen collectives --ranks 16 --sizes 64KiB,1MiB,64MiB --groups 4,16 -o out/sweep\n",
        .options = nadi_gen_collectives_groups,
        .run = nadi_cmd_gen_pattern,
    },
    {
        .name = "gen ring",
        .group = "Make traces",
        .summary = "Write sends and receives around a ring",
        .about = "In each round every rank sends to the one --stride further on, and computes.\n",
        .examples = "nadi gen ring --ranks 64 --bytes 1MiB --both-ways -o out/ring\n",
        .options = nadi_gen_ring_groups,
        .run = nadi_cmd_gen_pattern,
    },
    {
        .name = "gen pairs",
        .group = "Make traces",
        .summary = "Write exchanges between pairs of ranks, drawn anew in each round",
        .examples = "nadi gen pairs --ranks 64 --bytes 1MiB --rounds 10 --seed 7 -o out/pairs\n",
        .options = nadi_gen_pairs_groups,
        .run = nadi_cmd_gen_pattern,
    },
    {
        .name = "gen incast",
        .group = "Make traces",
        .summary = "Write sends of all ranks to one",
        .examples = "nadi gen incast --ranks 33 --bytes 64KiB -o out/incast\n",
        .options = nadi_gen_incast_groups,
        .run = nadi_cmd_gen_pattern,
    },
    {
        .name = "gen all-to-all",
        .group = "Make traces",
        .summary = "Write an all-to-all of messages of unequal sizes",
        .about = "As in a mixture of experts: the popularity of the ranks follows a Zipf law, "
                 "drawn anew in each\n"
                 "round; --skew 0 treats all alike.\n",
        .examples =
            "nadi gen all-to-all --ranks 32 --bytes 16MiB --skew 0.8 --seed 3 -o out/experts\n",
        .options = nadi_gen_all_to_all_groups,
        .run = nadi_cmd_gen_pattern,
    },
    {
        .name = "gen overlap",
        .group = "Make traces",
        .summary = "Write computation that overlaps with collectives",
        .about = "none: one after the other. gradients: a collective follows each layer while the "
                 "next one computes.\n"
                 "prefetch: a collective before each layer, --ahead layers in advance.\n",
        .examples =
            "nadi gen overlap --pattern prefetch --ahead 2 --ranks 8 --bytes 64MiB -o out/fsdp\n",
        .options = nadi_gen_overlap_groups,
        .run = nadi_cmd_gen_pattern,
    },
    {
        .name = "gen memory",
        .group = "Make traces",
        .summary = "Write layers that load from and store to remote memory",
        .examples = "nadi gen memory --ranks 4 --bytes 256MiB --ahead 2 -o out/offload\n",
        .options = nadi_gen_memory_groups,
        .run = nadi_cmd_gen_pattern,
    },
    {
        .name = "gen pipeline",
        .group = "Make traces",
        .summary = "Write micro-batches through pipeline stages",
        .about = "A rank is a stage; backward takes twice the time of forward.\n",
        .examples =
            "nadi gen pipeline --ranks 8 --rounds 32 --bytes 16MiB --schedule gpipe -o out/pipe\n",
        .options = nadi_gen_pipeline_groups,
        .run = nadi_cmd_gen_pattern,
    },
    {
        .name = "trace import",
        .group = "Traces",
        .summary = "Turn a PyTorch capture, one or all ranks, into Chakra traces",
        .about =
            "Reads the execution trace and the Kineto profile of each rank and writes a graph "
            "with what\n"
            "orders its work: program, launches, streams, synchronisation, process groups. Says "
            "how much\n"
            "of the capture is in it. {rank} in a name stands for 0, 1, ... as far as there are "
            "files.\n",
        .examples = "nadi trace import --host et.{rank}.json --device kineto.{rank}.json -o step\n"
                    "nadi trace import --device profile.json.gz -o step\n",
        .options = nadi_trace_import_groups,
        .run = nadi_cmd_trace_import,
    },
    {
        .name = "trace link",
        .group = "Traces",
        .summary = "Join the execution trace and the Kineto profile of one rank",
        .about = "Finds for every operator of the execution trace its time in the profile, and for "
                 "every\n"
                 "kernel the operator that launched it: the first half of `nadi trace import`.\n",
        .examples =
            "nadi trace link --host et.0.json.gz --device kineto.0.json.gz -o linked.0.json\n"
            "nadi trace link --host et.0.json --device kineto.0.json --compat 1.0.0 \\\n"
            "         -o linked.0.json\n",
        .options = nadi_trace_link_groups,
        .run = nadi_cmd_trace_link,
    },
    {
        .name = "trace convert",
        .group = "Traces",
        .summary = "Turn a linked trace into a Chakra trace",
        .words = "LINKED",
        .about = "Reads what `nadi trace link` or the Chakra tools have written: the second half "
                 "of\n"
                 "`nadi trace import`.\n",
        .examples = "nadi trace convert linked.0.json -o step.0.et\n",
        .options = nadi_trace_convert_groups,
        .max_words = 1,
        .run = nadi_cmd_trace_convert,
    },
    {
        .name = "trace check",
        .group = "Traces",
        .summary = "Find what is wrong with trace files",
        .words = "FILE... | PREFIX | MANIFEST.yml",
        .about = "Framing, ids, cycles, dependencies on nothing, attributes, times; with several "
                 "ranks also\n"
                 "their collectives, sends and receives against each other. Exit code 3 on "
                 "damage.\n",
        .examples = "nadi trace check traces/step.0.et\n"
                    "nadi trace check traces/step --groups groups.json --format json\n"
                    "nadi trace check out/million/workload.yml\n",
        .options = nadi_trace_check_groups,
        .max_words = NADI_MAX_WORDS,
        .run = nadi_cmd_trace_check,
    },
    {
        .name = "trace info",
        .group = "Traces",
        .summary = "Say what is in a trace, or in all traces of a job",
        .words = "FILE... | PREFIX",
        .about = "Nodes, time and bytes by type, operator, process group and lane; where the time "
                 "goes; the\ncritical path; parallelism over time. Times are those recorded in the "
                 "trace or, where\nthere are none, replayed from durations and dependencies; "
                 "nothing is simulated.\n",
        .examples = "nadi trace info traces/step.0.et\n"
                    "nadi trace info traces/step --format csv --table operators\n",
        .options = nadi_trace_info_groups,
        .max_words = NADI_MAX_WORDS,
        .run = nadi_cmd_trace_info,
    },
    {
        .name = "trace graph",
        .group = "Traces",
        .summary = "Draw a trace's graph: DOT, GraphML or SVG",
        .words = "FILE",
        .about =
            "Kinds by colour, durations, the critical path in red. Chains of nodes are folded, "
            "edges that\nfollow from others left out, and at most --most boxes drawn, the "
            "heaviest; drawn boxes stay\nconnected over those that are not. SVG needs "
            "graphviz.\n",
        .examples = "nadi trace graph traces/step.0.et -o step.svg\n"
                    "nadi trace graph traces/step.0.et --around 17 --distance 3 -o near.svg\n"
                    "nadi trace graph traces/step.0.et --operator '*AllReduce*' | dot -Tpdf "
                    ">reduce.pdf\n",
        .options = nadi_trace_graph_groups,
        .max_words = 1,
        .run = nadi_cmd_trace_graph,
    },
    {
        .name = "trace timeline",
        .group = "Traces",
        .summary = "Write the times of a trace, or of a simulator's log, for Perfetto",
        .words = "FILE... | PREFIX",
        .about =
            "One process a rank, one track a thread or stream, arrows for dependencies between "
            "tracks. Times\nare those recorded in the trace or, where there are none, "
            "replayed. A file of text is taken for\na log with issue and callback lines. "
            "Open the result on ui.perfetto.dev.\n",
        .examples = "nadi trace timeline traces/step -o step.json.gz\n"
                    "nadi trace timeline simulation.csv --frequency 1.5GHz -o simulation.json\n",
        .options = nadi_trace_timeline_groups,
        .max_words = NADI_MAX_WORDS,
        .run = nadi_cmd_trace_timeline,
    },
    {
        .name = "trace show",
        .group = "Traces",
        .summary = "Print a trace as JSON lines, without loss",
        .words = "FILE",
        .about = "One message a line, with the schema's field names and all digits of its "
                 "numbers;\n`nadi trace pack` makes the same bytes of it again.\n",
        .examples = "nadi trace show traces/step.0.et | head -3\n"
                    "nadi trace show traces/step.0.et --jsonizer -o step.json\n",
        .options = nadi_trace_show_groups,
        .max_words = 1,
        .run = nadi_cmd_trace_show,
    },
    {
        .name = "trace pack",
        .group = "Traces",
        .summary = "Make a trace of JSON lines",
        .words = "FILE",
        .about = "The way back from `nadi trace show`: edit the lines, or write them yourself.\n",
        .examples =
            "nadi trace show step.0.et | sed 's/\"forward\"/\"fwd\"/' | nadi trace pack - -o "
            "new.0.et\n",
        .options = nadi_trace_pack_groups,
        .max_words = 1,
        .run = nadi_cmd_trace_pack,
    },
    {
        .name = "trace from-text",
        .group = "Traces",
        .summary = "Make traces of a text workload of ASTRA-sim 1.0",
        .words = "FILE",
        .about = "All parallelisms of 1.0, with its training loop. The unit of time must be named, "
                 "and the\n"
                 "topology, which says the ranks that carry model and data parallelism.\n",
        .examples =
            "nadi trace from-text vgg16.txt --unit ns --topology 16x16 -o out/vgg16\n"
            "nadi trace from-text vgg16.txt --compat 1.0.0 --ranks 2 --passes 2 -o out/vgg16\n",
        .options = nadi_trace_from_text_groups,
        .max_words = 1,
        .run = nadi_cmd_trace_from_text,
    },
    {
        .name = "trace slice",
        .group = "Traces",
        .summary = "Cut a training step, or any part, out of a trace",
        .words = "FILE... | PREFIX",
        .about = "Nodes that stay wait for each other exactly as they did, also where that went "
                 "over\nnodes that are cut off. Work of the accelerator belongs to the step whose "
                 "host operator\nlaunched it. METADATA nodes always stay.\n",
        .examples = "nadi trace slice traces/job --step 4 -o out/step4\n"
                    "nadi trace slice traces/job.0.et --time 1ms..2ms -o part.0.et\n",
        .options = nadi_trace_slice_groups,
        .max_words = NADI_MAX_WORDS,
        .run = nadi_cmd_trace_slice,
    },
    {
        .name = "trace filter",
        .group = "Traces",
        .summary = "Drop nodes of a trace, by kind or name, and keep the order of the others",
        .words = "FILE... | PREFIX",
        .about = "A node that waited for a dropped one waits for what that one waited for. Where a "
                 "dropped\nnode joins many with many it stays as a junction, without time, so that "
                 "the trace does\nnot grow.\n",
        .examples = "nadi trace filter traces/job --drop host -o out/device\n"
                    "nadi trace filter job.0.et --keep-name '^nccl' --format json -o comm.0.et\n",
        .options = nadi_trace_filter_groups,
        .max_words = NADI_MAX_WORDS,
        .run = nadi_cmd_trace_filter,
    },
    {
        .name = "trace merge",
        .group = "Traces",
        .summary = "Make one node of each chain of compute nodes",
        .words = "FILE... | PREFIX",
        .about = "Fuses nodes of one host thread or stream where each waits for the one before "
                 "alone and\nnothing else does. Durations, num_ops and tensor_size add up; "
                 "everything else is that of\nthe first.\n",
        .examples = "nadi trace merge traces/job -o out/small\n"
                    "nadi trace merge job.0.et --most 100 -o small.0.et.zst\n",
        .options = nadi_trace_merge_groups,
        .max_words = NADI_MAX_WORDS,
        .run = nadi_cmd_trace_merge,
    },
    {
        .name = "trace repair",
        .group = "Traces",
        .summary = "Save what can be saved of damaged traces",
        .words = "FILE... | PREFIX",
        .about = "Reads up to the damage, leaves out messages that are no nodes, drops "
                 "dependencies on\nnothing, makes ids unique and cuts cycles. Everything that is "
                 "done is said.\n",
        .examples = "nadi trace repair broken.0.et -o sound.0.et\n",
        .options = nadi_trace_repair_groups,
        .max_words = NADI_MAX_WORDS,
        .run = nadi_cmd_trace_repair,
    },
    {
        .name = "trace anonymize",
        .group = "Traces",
        .summary = "Make traces that can be given away",
        .words = "FILE... | PREFIX",
        .about = "Keeps what a simulation needs, by a list, and nothing else: no names, times of "
                 "day, hosts,\npaths, values or operator schemas. Names become keyed hashes. The "
                 "result is read again to\nverify that; with --shapes keep both jobs are simulated "
                 "and must agree to the last bit.\n",
        .examples = "nadi trace anonymize traces/job --key @secret.txt -o out/job\n"
                    "nadi trace anonymize traces/job --shapes bucket -o out/job\n",
        .options = nadi_trace_anonymize_groups,
        .max_words = NADI_MAX_WORDS,
        .run = nadi_cmd_trace_anonymize,
    },
    {
        .name = "trace dedup",
        .group = "Traces",
        .summary = "Fold ranks that do the same into a manifest with few traces",
        .words = "FILE... | PREFIX",
        .about = "Writes each different trace once, PREFIX.class<k>.et, and PREFIX.yml for `nadi "
                 "run`, which\nsays who runs which. Ranks may differ in peers and process groups: "
                 "those become distances\nand families of groups along axes that are found in "
                 "them.\n",
        .examples = "nadi trace dedup traces/job --groups groups.json -o out/job\n"
                    "nadi run --workload out/job.yml --system system.json --network network.yml\n",
        .options = nadi_trace_dedup_groups,
        .max_words = NADI_MAX_WORDS,
        .run = nadi_cmd_trace_dedup,
    },
    {
        .name = "trace diff",
        .group = "Traces",
        .summary = "Compare two traces, or two jobs, by their operators",
        .words = "FIRST SECOND",
        .about = "Finds the longest sequence of operators that both have, in the order of ids, and "
                 "says what\nonly one has and where, and which of the others differ in time, size, "
                 "group, peer or\ndependencies. Exit code 1 when anything differs.\n",
        .examples = "nadi trace diff before.0.et after.0.et\n"
                    "nadi trace diff traces/before traces/after --format json\n",
        .options = nadi_trace_diff_groups,
        .max_words = 2,
        .run = nadi_cmd_trace_diff,
    },
    {
        .name = "flows",
        .group = "Simulate",
        .summary = "Simulate a list of flows over a network of switches",
        .about =
            "Takes plain flows through hosts, links and switches packet by packet: queues, "
            "PFC, ECN and\n"
            "congestion control. Reads the files of the HPCC simulator; --compat ns3 gives its "
            "completion\n"
            "times to the nanosecond.\n",
        .examples = "nadi flows --flows flow.txt --topology topology.txt --config config.txt "
                    "--fct fct.txt\n",
        .options = nadi_flows_groups,
        .run = nadi_cmd_flows,
    },
    {
        .name = "model list",
        .group = "Models",
        .summary = "List the models, devices and clusters that come with the program",
        .examples = "nadi model list\n",
        .options = nadi_model_list_groups,
        .run = nadi_cmd_model_list,
    },
    {
        .name = "model run",
        .group = "Models",
        .summary = "Say how long a step of a model takes on a cluster, and why",
        .words = "MODEL",
        .about = "The step's graph is made in memory and simulated; no files. MODEL is a name of\n"
                 "`nadi model list`, a description, or a config.json published with weights; so is "
                 "the\ncluster. Keys of a plan: `nadi help model memory`, "
                 "docs/reference/input-plan.md.\n",
        .examples = "nadi model run llama3-405b --cluster dgx-h100 --out result \\\n"
                    "    --set \"tp=8 pp=16 vp=4 dp=8 batch=512 sequence=8192 zero=1\"\n",
        .options = nadi_model_run_groups,
        .max_words = 1,
        .run = nadi_cmd_model_run,
    },
    {
        .name = "model trace",
        .group = "Models",
        .summary = "Write the graph of a model's step as Chakra traces",
        .words = "MODEL",
        .about = "One trace a pipeline stage and a manifest for all ranks, or one trace a rank; "
                 "with a\ncluster also the system and the network, for `nadi run`.\n",
        .examples = "nadi model trace gpt3-175b --cluster dgx-a100 --out out/gpt3 \\\n"
                    "    --set \"tp=8 pp=16 dp=8 batch=1536\"\n",
        .options = nadi_model_trace_groups,
        .max_words = 1,
        .run = nadi_cmd_model_trace,
    },
    {
        .name = "model flops",
        .group = "Models",
        .summary = "Count a model's parameters and the FLOPs of a step",
        .words = "MODEL",
        .about = "MODEL is a name of `nadi model list`, a description, or a config.json published "
                 "with weights.\n",
        .examples = "nadi model flops llama3-405b --set \"batch=2048 sequence=8192\"\n",
        .options = nadi_model_report_groups,
        .max_words = 1,
        .run = nadi_cmd_model_flops,
    },
    {
        .name = "model kernels",
        .group = "Models",
        .summary = "List the kernels of each kind of layer, with times, FLOPs and traffic",
        .words = "MODEL",
        .about =
            "One micro-batch on one rank, forward and backward. A device with a systolic array "
            "also shows\ncycles, utilisation and what passes between the array and its "
            "buffers. docs/models/kernels.md\nhas the formulas.\n",
        .examples = "nadi model kernels llama3-8b --cluster dgx-h100 --set \"tp=8 sequence=8192\"\n"
                    "nadi model kernels gpt2 --cluster mine.yaml --set \"kernels=systolic\"\n",
        .options = nadi_model_report_groups,
        .max_words = 1,
        .run = nadi_cmd_model_kernels,
    },
    {
        .name = "model memory",
        .group = "Models",
        .summary = "Say what fills the memory of every rank, and whether it fits",
        .words = "MODEL",
        .about = "Parameters, gradients and optimizer states as ZeRO shards them, activations by "
                 "the\npipeline's schedule, buffers. With a cluster, the bytes that are left or "
                 "missing.\n",
        .examples = "nadi model memory llama3-405b --cluster dgx-h100 \\\n"
                    "    --set \"tp=8 pp=16 vp=4 dp=8 batch=512 sequence=8192 zero=1\"\n",
        .options = nadi_model_memory_groups,
        .max_words = 1,
        .run = nadi_cmd_model_memory,
    },
    {
        .name = "collective bench",
        .group = "Networks",
        .summary = "Collectives over sizes and algorithms, as nccl-tests prints them",
        .words = "",
        .about = "Simulates one collective at a time on all NPUs of a network and prints the\n"
                 "columns of nccl-tests: size, time, algorithm and bus bandwidth, to be held "
                 "against\n"
                 "a real log. With several algorithms the fastest of each size follows.\n",
        .examples = "nadi collective bench --network network.yml --algorithm ring,direct\n"
                    "nadi collective bench --network network.yml --network-model flow \\\n"
                    "    --kind all-reduce,all-gather --from 64KiB --to 64MiB --factor 4 \\\n"
                    "    --algorithm ring,oneRabenseifner,oneTree,oneDoubleTree8 --plot bus.svg\n",
        .options = nadi_collective_bench_groups,
        .run = nadi_cmd_collective_bench,
    },
    {
        .name = "collective check",
        .group = "Networks",
        .summary = "Prove that files of explicit algorithms do what they promise",
        .words = "FILE...",
        .about =
            "Reads MSCCL XML, MSCCL++ execution plans, TACOS output, Chakra traces\n"
            "(PREFIX for PREFIX.0.et and so on) and nadi's own form, moves every chunk through\n"
            "the steps, and says what is missing where. What the files are:\n"
            "docs/guide/custom-collectives.md.\n",
        .examples = "nadi collective check examples/collectives/*.xml\n"
                    "nadi collective check ring.yml --bytes 1GiB --bandwidth 400Gbps\n",
        .options = nadi_collective_check_groups,
        .max_words = 256,
        .run = nadi_cmd_collective_check,
    },
    {
        .name = "collective convert",
        .group = "Networks",
        .summary = "Write an explicit algorithm in another form",
        .words = "[FILE]",
        .about = "The form follows from the name that is written: .xml MSCCL, else nadi's own.\n"
                 "Without FILE one of nadi's algorithms is written down.\n",
        .examples = "nadi collective convert plan.json -o plan.yml\n"
                    "nadi collective convert plan.yml -o plan.xml\n"
                    "nadi collective convert --algorithm ring --kind all-gather --members 8 "
                    "-o ring.yml\n",
        .options = nadi_collective_convert_groups,
        .max_words = 1,
        .run = nadi_cmd_collective_convert,
    },
    {
        .name = "collective synth",
        .group = "Networks",
        .summary = "Find a collective algorithm for a network",
        .words = "",
        .about = "Matches chunks with links over time, greedily and in many ways, and keeps the "
                 "best;\nproves that every chunk arrives everywhere it must; simulates it on the "
                 "network model\n`flow` beside the algorithms that there are; writes nadi's own "
                 "form, MSCCL XML or\nChakra traces. See docs/guide/synthesise.md.\n",
        .examples = "nadi collective synth --topology network.yml --kind all-gather -o ag.yml\n"
                    "nadi collective synth --topology \"mesh shape=8x8\" --bytes 1GiB \\\n"
                    "    -o mesh.xml\n",
        .options = nadi_collective_synth_groups,
        .run = nadi_cmd_collective_synth,
    },
    {
        .name = "topo",
        .group = "Networks",
        .summary = "Look at a network: size, distances, bisection, path diversity, a picture",
        .words = "FILE | GENERATOR KEY=VALUE...",
        .about =
            "FILE is whatever `nadi run --network` takes. Generators: fat-tree, clos, leaf-spine, "
            "rail,\ndragonfly, dragonfly+, hyperx, torus, mesh, hgx; `nadi explain k` and "
            "docs/reference/input-generator.md\nsay what they take.\n",
        .examples = "nadi topo fat-tree k=8 --svg fat-tree.svg\n"
                    "nadi topo dragonfly a=8 p=4 h=4 --price router=9000,cable=200\n"
                    "nadi topo torus shape=8x8x8 bandwidth=100GB/s --out torus.yml\n"
                    "nadi topo hgx nics=4 scale-out=leaf-spine scale-out.leaves=4 \\\n"
                    "          scale-out.spines=2 scale-out.hosts=8\n",
        .options = nadi_topo_groups,
        .max_words = 64,
        .run = nadi_cmd_topo,
    },
    {
        .name = "fit",
        .group = "Measurements",
        .summary = "Fit a platform to logs of nccl-tests, rccl-tests or OSU benchmarks",
        .words = "LOG...",
        .about = "Latencies, shares of bandwidth and crossovers with 95 % intervals, outliers by "
                 "line, and a\n"
                 "file of them; docs/guide/calibrate.md walks through it.\n",
        .examples = "nadi fit all_reduce.log all_gather.log --out mine.yaml --plot mine.svg\n"
                    "nadi fit osu.txt --platform h100-node --ranks 16 --nodes 2\n",
        .options = nadi_fit_groups,
        .max_words = NADI_MAX_WORDS,
        .run = nadi_cmd_fit,
    },
    {
        .name = "validate collectives",
        .group = "Measurements",
        .summary = "Hold predicted collectives against measured ones",
        .words = "FOLDER",
        .about = "FOLDER holds logs or CSV. Each table is predicted from the catalogue's platform "
                 "of its\n"
                 "device, or from that fitted to a part of the rows; docs/validation.md has the "
                 "results.\n",
        .examples = "nadi validate collectives measured/collectives --summary\n",
        .options = nadi_validate_collectives_groups,
        .max_words = 1,
        .run = nadi_cmd_validate_collectives,
    },
    {
        .name = "validate compute",
        .group = "Measurements",
        .summary = "Hold predicted matrix products and attention against measured ones",
        .words = "FOLDER",
        .examples = "nadi validate compute measured/compute --summary\n",
        .options = nadi_validate_compute_groups,
        .max_words = 1,
        .run = nadi_cmd_validate_compute,
    },
    {
        .name = "validate all",
        .group = "Measurements",
        .summary = "The same for the folders collectives, compute and training of a folder",
        .words = "FOLDER",
        .examples = "nadi validate all measured --summary\n",
        .options = nadi_validate_compute_groups,
        .max_words = 1,
        .run = nadi_cmd_validate_all,
    },
    {
        .name = "validate training",
        .group = "Measurements",
        .summary = "Hold predicted step times against published training runs",
        .words = "FOLDER",
        .about =
            "FOLDER holds tables of runs; docs/models/training.md names them and says what is\n"
            "assumed where a source is silent. The error is that of the model FLOP "
            "utilisation.\n",
        .examples = "nadi validate training measured/training\n",
        .options = nadi_validate_training_groups,
        .max_words = 1,
        .run = nadi_cmd_validate_training,
    },
    {
        .name = "repro",
        .group = "Measurements",
        .summary = "Make published results again, each beside the published figure",
        .words = "NAME | all | list",
        .about = "The exit code is 1 when a figure is not as published.\n",
        .examples = "nadi repro list\nnadi repro all\n",
        .options = nadi_repro_groups,
        .max_words = 1,
        .run = nadi_cmd_repro,
    },
    {
        .name = "explain",
        .group = "Help",
        .summary = "Explain a key of the input files, or list all of them",
        .words = "[KEY]",
        .examples = "nadi explain active-chunks-per-dimension\n",
        .options = nadi_explain_groups,
        .max_words = 1,
        .run = nadi_cmd_explain,
    },
    {
        .name = "version",
        .group = "Help",
        .summary = "Print the version",
        .options = nadi_version_groups,
        .run = nadi_cmd_version,
    },
    {
        .name = "help",
        .group = "Help",
        .summary = "Explain a command",
        .words = "[COMMAND]",
        .examples = "nadi help run\n",
        .options = nadi_help_groups,
        .max_words = 2,
        .run = nadi_cmd_help,
    },
    {.name = NULL},
};
