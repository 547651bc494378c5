#include "base/signature.h"

#include "base/str.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 1 << 16, LOG_BYTES = 1 << 22, MARKS = 4 };

enum how {
    MAGIC, /* these bytes, at `offset` */
    FIRST, /* the text begins with one of the marks, whatever their letters' case */
    XML,   /* the text begins with '<' and has all marks */
    JSON,  /* it begins with '{' or '[' and has all marks as keys */
    LINES, /* each mark begins a line */
    WORDS, /* the text, no JSON and no XML, has all marks */
    LOG,   /* the text, whatever it begins with, has all marks in its first LOG_BYTES */
    ENDS,  /* the path ends with a mark */
    ONNX,
    SAFETENSORS,
    CHAKRA,
    TABLE, /* two lines and more, of as many fields behind commas */
};

struct nadi_signature {
    const char *form;
    const char *readers; /* of ours, between bars; NULL: none */
    const char *hint;
    enum how how;
    uint32_t offset, length; /* MAGIC: of marks[0] */
    const char *marks[MARKS];
};

#define BYTES(at, text) .how = MAGIC, .offset = (at), .length = sizeof(text) - 1, .marks = {text}

#define NETWORKS                                                                                   \
    "describe it as a network file (docs/guide/networks.md), by a generator (`nadi help topo`), "  \
    "or "                                                                                          \
    "as a topology of ns-3 or htsim"
#define MODELS                                                                                     \
    "describe the model (docs/guide/models.md), or give the model's Hugging Face config.json"
#define CAPTURES                                                                                   \
    "export PyTorch's profiler as JSON (export_chrome_trace) and give it to `nadi trace import`"
#define LINKS                                                                                      \
    "it measures one link: write its figures into a network file, bandwidth: 48GB/s, latency: 1us"
#define STEPS                                                                                      \
    "`nadi fit steps` takes a table with the columns model, cluster, settings and step_s: write "  \
    "the measured seconds of a step there"
#define KERNELS                                                                                    \
    "sums have no order and no shapes: `nsys export --type sqlite`, or `nsys stats --report "      \
    "cuda_gpu_trace --format csv`, for `nadi trace from-tool`; nvtx_gpu_proj_trace for `nadi fit " \
    "kernels`"
#define UNPACK "decompress it first"

/* The first that fits counts. Those that say more come before those that say less. */
static const struct nadi_signature signatures[] = {
    /* archives and binary files */
    {"a profile of Nsight Systems", NULL, CAPTURES, ENDS, .marks = {".nsys-rep", ".qdrep"}},
    {"a profile of Nsight Compute", NULL, CAPTURES, ENDS, .marks = {".ncu-rep"}},
    {"an HDF5 file", NULL, NULL, BYTES(0, "\x89HDF\r\n\x1a\n")},
    {"a GGUF model", NULL, MODELS, BYTES(0, "GGUF")},
    {"a safetensors model", NULL, MODELS, .how = SAFETENSORS},
    {"an ONNX model", NULL, MODELS, .how = ONNX},
    {"a TensorFlow Lite model", NULL, MODELS, BYTES(4, "TFL3")},
    {"a ZIP archive (or a PyTorch checkpoint)", NULL, "unpack it; of a model: " MODELS,
     BYTES(0, "PK\x03\x04")},
    {"a capture of packets (pcap)", NULL, NULL, BYTES(0, "\xd4\xc3\xb2\xa1")},
    {"a capture of packets (pcap)", NULL, NULL, BYTES(0, "\xa1\xb2\xc3\xd4")},
    {"a capture of packets (pcap)", NULL, NULL, BYTES(0, "\x4d\x3c\xb2\xa1")},
    {"a capture of packets (pcap)", NULL, NULL, BYTES(0, "\xa1\xb2\x3c\x4d")},
    {"a capture of packets (pcapng)", NULL, NULL, BYTES(0, "\x0a\x0d\x0d\x0a")},
    {"a NumPy array", NULL, NULL, BYTES(0, "\x93NUMPY")},
    {"a Parquet table", NULL, NULL, BYTES(0, "PAR1")},
    {"an Arrow table", NULL, NULL, BYTES(0, "ARROW1")},
    {"a Python pickle", NULL, NULL, BYTES(0, "\x80\x02")},
    {"a Python pickle", NULL, NULL, BYTES(0, "\x80\x03")},
    {"a Python pickle", NULL, NULL, BYTES(0, "\x80\x04\x95")},
    {"a Python pickle", NULL, NULL, BYTES(0, "\x80\x05\x95")},
    {"a program (ELF)", NULL, NULL,
     BYTES(0, "\x7f"
              "ELF")},
    {"a PDF document", NULL, NULL, BYTES(0, "%PDF-")},
    {"a PNG picture", NULL, NULL, BYTES(0, "\x89PNG\r\n\x1a\n")},
    {"a JPEG picture", NULL, NULL, BYTES(0, "\xff\xd8\xff")},
    {"a tar archive", NULL, "unpack it", BYTES(257, "ustar")},
    {"compressed with xz", NULL, UNPACK,
     BYTES(0, "\xfd"
              "7zXZ")},
    {"compressed with bzip2", NULL, UNPACK, BYTES(0, "BZh")},
    {"compressed with gzip", "|text workload|trace or log|Chakra trace|capture|", UNPACK,
     BYTES(0, "\x1f\x8b")},
    {"compressed with zstd", "|text workload|trace or log|Chakra trace|capture|", UNPACK,
     BYTES(0, "\x28\xb5\x2f\xfd")},
    {"an SQLite database (run.db of a run, or an export of Nsight Systems)", "|database|",
     "`nadi query` asks the database of a run; a capture: " CAPTURES,
     BYTES(0, "SQLite format 3\0")},
    {"a Chakra execution trace", "|trace or log|Chakra trace|",
     "--workload takes the prefix of the traces; `nadi help trace`", .how = CHAKRA},
    /* XML */
    {"a SimGrid platform (XML)", NULL, NETWORKS, XML, .marks = {"<platform", "simgrid"}},
    {"a SimGrid platform (XML)", NULL, NETWORKS, XML, .marks = {"<platform", "<zone"}},
    {"a GraphML graph", NULL, NETWORKS, XML, .marks = {"<graphml"}},
    {"a GEXF graph", NULL, NETWORKS, XML, .marks = {"<gexf"}},
    {"the topology of a server as NCCL writes it (XML)", NULL, NETWORKS, XML,
     .marks = {"<system", "<cpu"}},
    {"the graphs that NCCL searched (XML)", NULL, NETWORKS, XML, .marks = {"<graphs", "<graph"}},
    {"a topology of hwloc (XML)", NULL, NETWORKS, XML, .marks = {"<topology", "<object"}},
    {"an MSCCL algorithm (XML)", "|file of a collective|",
     "`nadi collective check` proves it; \"custom-collectives\" in the system file runs it", XML,
     .marks = {"<algo", "<gpu"}},
    {"a picture (SVG)", NULL, NULL, XML, .marks = {"<svg"}},
    {"a page (HTML)", NULL, "was the page saved instead of the file?", FIRST,
     .marks = {"<!doctype html", "<html"}},
    {"XML", "|file of a collective|", NULL, FIRST, .marks = {"<?xml"}},
    /* JSON */
    {"a profile of PyTorch (Kineto's JSON)", "|capture|trace or log|",
     "`nadi trace import --device` makes a Chakra trace of it", JSON,
     .marks = {"schemaVersion", "deviceProperties"}},
    {"a profile of rocprofv3 (JSON)", NULL, CAPTURES, JSON, .marks = {"rocprofiler-sdk-tool"}},
    {"a trace of events (Chrome's JSON, as of PyTorch's profiler)", "|capture|trace or log|",
     "`nadi trace import --device` makes a Chakra trace of PyTorch's", JSON,
     .marks = {"traceEvents"}},
    {"an execution trace of PyTorch (JSON)", "|capture|trace or log|",
     "`nadi trace import --host` makes a Chakra trace of it, with its profile", JSON,
     .marks = {"schema", "pid", "nodes"}},
    {"a Chakra trace as JSON", "|capture|trace or log|",
     "`nadi trace pack FILE -o PREFIX.RANK.et` makes a trace of it, of each rank one", JSON,
     .marks = {"workload_graph"}},
    {"a Chakra trace as JSON", "|capture|trace or log|",
     "`nadi trace pack FILE -o PREFIX.RANK.et` makes a trace of it, of each rank one", JSON,
     .marks = {"ctrlDeps"}},
    {"a tokenizer (JSON)", NULL, MODELS, JSON, .marks = {"truncation", "padding", "added_tokens"}},
    {"a configuration of a tokenizer (JSON)", NULL, MODELS, JSON,
     .marks = {"added_tokens_decoder", "tokenizer_class"}},
    {"an MSCCL++ execution plan (JSON)", "|file of a collective|",
     "`nadi collective check` proves it; \"custom-collectives\" in the system file runs it", JSON,
     .marks = {"collective", "gpus", "threadblocks"}},
    {"an MSCCL++ execution plan (JSON)", "|file of a collective|",
     "`nadi collective check` proves it; \"custom-collectives\" in the system file runs it", JSON,
     .marks = {"colletive", "gpus", "threadblocks"}},
    {"a schedule of TE-CCL (JSON)", NULL,
     "TE-CCL also writes MSCCL XML, which `nadi collective check` reads", JSON,
     .marks = {"1-Epoch_Duration", "4-Collective_Finish_Time"}},
    {"the index of a safetensors model (JSON)", NULL, MODELS, JSON,
     .marks = {"weight_map", "metadata"}},
    {"a configuration of diffusers, of networks that make pictures, films or sounds (JSON)", NULL,
     "describe such a network by its layers (docs/guide/models.md)", JSON,
     .marks = {"_class_name", "_diffusers_version"}},
    {"an adapter of a model (PEFT's JSON)", NULL, MODELS, JSON, .marks = {"peft_type"}},
    {"a configuration of DeepSpeed (JSON)", NULL,
     "a plan says how a model is trained (docs/guide/models.md)", JSON,
     .marks = {"zero_optimization"}},
    {"a Jupyter notebook", NULL, NULL, JSON, .marks = {"nbformat", "cells"}},
    {"a Hugging Face configuration (JSON)", "|model|model description|",
     "`nadi model run` takes it", JSON, .marks = {"architectures", "model_type"}},
    {"a Hugging Face configuration (JSON)", "|model|model description|",
     "`nadi model run` takes it", JSON, .marks = {"hidden_size", "model_type"}},
    {"a configuration of BERT as its authors write it (JSON)", NULL,
     "add \"model_type\": \"bert\" to a copy, and \"architectures\": [\"BertForMaskedLM\"]", JSON,
     .marks = {"hidden_size", "num_hidden_layers", "type_vocab_size"}},
    {"a Hugging Face configuration (JSON)", "|model|model description|",
     "`nadi model run` takes it", JSON, .marks = {"hidden_size", "num_hidden_layers"}},
    {"the parameters of a model as Meta and Mistral write them (params.json)", NULL, MODELS, JSON,
     .marks = {"dim", "n_layers", "n_heads", "norm_eps"}},
    {"a model as DeepSeek's own code describes it (JSON)", NULL, MODELS, JSON,
     .marks = {"dim", "n_layers", "inter_dim"}},
    {"the parameters of a GPT-2 as its authors write them (hparams.json)", NULL, MODELS, JSON,
     .marks = {"n_vocab", "n_embd", "n_head", "n_layer"}},
    {"a configuration of TencentPretrain (JSON)", NULL, MODELS, JSON,
     .marks = {"emb_size", "feedforward_size", "heads_num", "layers_num"}},
    {"how sentence-transformers use a model (JSON)", NULL, MODELS, JSON,
     .marks = {"prompts", "similarity_fn_name"}},
    {"a cluster of LLMServingSim (JSON)", NULL, MODELS, JSON,
     .marks = {"num_nodes", "link_bw", "link_latency"}},
    {"a Keras model (JSON)", NULL, MODELS, JSON, .marks = {"class_name", "keras_version"}},
    {"the configuration of a tokenizer (JSON)", NULL, MODELS, JSON,
     .marks = {"tokenizer_class", "model_max_length"}},
    {"how a model generates text (generation_config.json)", NULL, MODELS, JSON,
     .marks = {"_from_model_config"}},
    {"how a model is quantised (hf_quant_config.json)", NULL, MODELS, JSON,
     .marks = {"producer", "quantization"}},
    {"the summary of a run of nadi", "|summary of a run|", "`nadi report` takes the run's folder",
     JSON, .marks = {"nadi", "outcome", "ranks"}},
    {"a system file", "|system file|cluster|plan|", "it goes to --system", JSON,
     .marks = {"all-reduce-implementation"}},
    {"a network file of ASTRA-sim 1.0 (JSON)", "|network file|network file of ASTRA-sim 1.0|",
     "it goes to --network", JSON, .marks = {"topologies-per-dim", "dimensions-count"}},
    /* text */
    {"the output of nccl-tests", "|benchmark log|",
     "`nadi fit` and `nadi validate collectives` read it", LINES,
     .marks = {"# nThread", "#       size"}},
    {"the output of nccl-tests", "|benchmark log|",
     "`nadi fit` and `nadi validate collectives` read it", WORDS,
     .marks = {"out-of-place", "algbw", "busbw"}},
    {"the output of the OSU benchmarks", "|benchmark log|",
     "`nadi fit` and `nadi validate collectives` read it", LINES, .marks = {"# OSU MPI"}},
    {"the output of the Intel MPI Benchmarks", "|benchmark log|",
     "`nadi fit` and `nadi validate collectives` read it", WORDS,
     .marks = {"#bytes", "#repetitions", "[usec]"}},
    {"the output of perftest (ib_write_bw, ib_send_lat, ...)", NULL, LINKS, WORDS,
     .marks = {"#bytes", "#iterations"}},
    {"the output of nvbandwidth", NULL, LINKS, WORDS, .marks = {"nvbandwidth Version"}},
    {"the output of CUDA's p2pBandwidthLatencyTest", NULL, LINKS, FIRST,
     .marks = {"[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]"}},
    {"the output of ucx_perftest", NULL, LINKS, WORDS, .marks = {"bandwidth (MB/s)", "typical"}},
    {"a log of Megatron-LM", NULL, STEPS, LOG,
     .marks = {"iteration ", "elapsed time per iteration (ms)"}},
    {"a log of torchtitan", NULL, STEPS, LOG, .marks = {"loss: ", "tps: ", "step: "}},
    {"a log of NeMo", NULL, STEPS, LOG, .marks = {"train_step_timing in s"}},
    {"a log of DeepSpeed", NULL, STEPS, LOG, .marks = {"RunningAvgSamplesPerSec"}},
    {"a log of DeepSpeed", NULL, STEPS, LOG, .marks = {"[deepspeed", "launch.py"}},
    {"a log of MLPerf", NULL, STEPS, LOG, .marks = {":::MLLOG "}},
    {"a summary of kernels by Nsight Systems (cuda_gpu_kern_sum)", NULL, KERNELS, WORDS,
     .marks = {"Total Time (ns),Instances"}},
    {"a summary of kernels by Nsight Systems (cuda_gpu_kern_sum)", NULL, KERNELS, WORDS,
     .marks = {"Total Time (ns)  Instances"}},
    {"a summary of kernels by Nsight Systems (cuda_gpu_kern_sum)", NULL, KERNELS, WORDS,
     .marks = {"Total Time (ns)", "Instances", "Avg (ns)"}},
    {"a table of work by Nsight Systems (cuda_gpu_trace)", "|profile of Nsight Systems|",
     "`nadi trace from-tool --form nsight` makes a trace of it", WORDS,
     .marks = {"Start (", "Duration (", "CorrId"}},
    {"the output of Nsight Compute", NULL, CAPTURES, LOG, .marks = {"==PROF=="}},
    {"a log of NCCL", "|benchmark log|",
     "`nadi fit` reads the tables of nccl-tests, also with such lines in between", WORDS,
     .marks = {" NCCL INFO "}},
    {"a graph in DOT", NULL, NETWORKS, FIRST,
     .marks = {"digraph ", "graph {", "strict digraph ", "strict graph "}},
    {"a graph in GML", NULL, NETWORKS, LINES, .marks = {"graph [", "  node ["}},
    {"a network of OMNeT++ (NED)", NULL, NETWORKS, WORDS, .marks = {"network ", "submodules:"}},
    {"a configuration of BookSim", NULL, NETWORKS, WORDS,
     .marks = {"topology", "routing_function", ";"}},
    {"an ASCII trace of ns-3", NULL, "flow lists and completion times are for `nadi flows`", WORDS,
     .marks = {"/NodeList/", "/DeviceList/"}},
    {"an ns-3 configuration (CC_MODE ...)",
     "|packet configuration|packet file|network file|topology file|",
     "`packet:` in the network file takes it; docs/guide/from-astra-sim.md", LINES,
     .marks = {"CC_MODE ", "PACKET_PAYLOAD_SIZE "}},
    {"a text workload of ASTRA-sim 1.0 or SimAI", "|text workload|",
     "`nadi trace from-text` makes traces of it", FIRST,
     .marks = {"HYBRID_", "DISTRIBUTED_INFERENCE\n", "DATA\n", "MICRO\n"}},
    {"a table of TACOS (CSV)", "|file of a collective|",
     "`nadi collective check` proves it; \"custom-collectives\" in the system file runs it", FIRST,
     .marks = {"NPUs Count,"}},
    {"a table of rocprofv3 (CSV)", NULL, CAPTURES, FIRST,
     .marks = {"\"Kind\",\"Agent_Id\",", "\"Domain\",\"Function\",", "\"Kind\",\"Operation\","}},
    {"a table of rocprof (CSV)", NULL, CAPTURES, FIRST,
     .marks = {"\"Index\",\"KernelName\",", "Index,KernelName,"}},
    {"a manifest of Kubernetes", NULL, NULL, LINES, .marks = {"apiVersion:", "kind:"}},
    {"a script", NULL, NULL, FIRST, .marks = {"#!/"}},
    {"a network file",
     "|network file|network file of nodes and links|topology file|cluster|platform|",
     "it goes to --network", LINES, .marks = {"topology:", "npus_count:"}},
    {"a network file",
     "|network file|network file of nodes and links|topology file|cluster|platform|",
     "it goes to --network", LINES, .marks = {"nodes:", "links:"}},
    {"a collective written down in nadi's form", "|file of a collective|collective file|",
     "`nadi collective check` proves it; \"custom-collectives\" in the system file runs it", LINES,
     .marks = {"collective:", "members:", "steps:"}},
    {"a table of comma-separated values",
     "|benchmark log|trace or log|measured times|matrix of sizes|table of runs|table|", NULL,
     .how = TABLE},
};

struct head {
    const char *path;
    const char *text; /* without a byte order mark and blanks */
    size_t bytes;
    const uint8_t *data;
    size_t data_bytes;
};

static const char *find_bytes(const char *at, size_t bytes, const char *mark)
{
    return memmem(at, bytes, mark, strlen(mark));
}

static bool has_key(const struct head *h, const char *key)
{
    const size_t length = strlen(key);
    const char *end = h->text + h->bytes;
    for (const char *at = h->text; (at = find_bytes(at, (size_t)(end - at), key)); at += length) {
        const char *behind = at + length;
        if (at == h->text || at[-1] != '"' || behind == end || *behind++ != '"')
            continue;
        while (behind < end && strchr(" \t\r\n", *behind))
            behind++;
        if (behind < end && *behind == ':')
            return true;
    }
    return false;
}

static bool has_line(const struct head *h, const char *mark)
{
    const char *end = h->text + h->bytes;
    for (const char *at = h->text; (at = find_bytes(at, (size_t)(end - at), mark)); at++)
        if (at == h->text || at[-1] == '\n')
            return true;
    return false;
}

static bool begins(const struct head *h, const char *mark)
{
    return h->bytes >= strlen(mark) && strncasecmp(h->text, mark, strlen(mark)) == 0;
}

static bool is_printable(const uint8_t *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (p[i] < 0x20 || p[i] > 0x7e)
            return false;
    return true;
}

/* ir_version, then the name of the producer. */
static bool is_onnx(const struct head *h)
{
    const uint8_t *p = h->data;
    if (h->path && nadi_str_ends(h->path, ".onnx"))
        return true;
    return h->data_bytes > 8 && p[0] == 0x08 && p[1] >= 3 && p[1] <= 32 && p[2] == 0x12 &&
           p[3] > 0 && p[3] < 64 && h->data_bytes > 4U + p[3] && is_printable(p + 4, p[3]);
}

/* The length of a header, which is JSON. */
static bool is_safetensors(const struct head *h)
{
    const uint8_t *p = h->data;
    return h->data_bytes > 10 && p[8] == '{' && p[9] == '"' && p[4] == 0 && p[5] == 0 &&
           p[6] == 0 && p[7] == 0;
}

/* The length of the metadata, whose first field is the version, "0.0.4". */
static bool is_chakra(const struct head *h)
{
    const uint8_t *p = h->data;
    const size_t at = h->data_bytes > 0 && p[0] & 0x80 ? 2 : 1;
    return h->data_bytes > at + 5 && p[at] == 0x0a && p[at + 1] >= 3 && p[at + 1] < 32 &&
           p[at + 2] >= '0' && p[at + 2] <= '9' && p[at + 3] == '.' && p[at + 4] >= '0' &&
           p[at + 4] <= '9';
}

static uint32_t commas(const char *line, const char *end)
{
    uint32_t count = 0;
    for (; line < end && *line != '\n'; line++)
        count += *line == ',';
    return count;
}

static bool is_table(const struct head *h)
{
    const char *end = h->text + h->bytes;
    const char *second = memchr(h->text, '\n', h->bytes);
    if (!second || ++second == end || memchr(h->text, '\0', h->bytes))
        return false;
    for (const char *at = h->text; at < second; at++)
        if (strchr("{}[]:<>#", *at))
            return false;
    const uint32_t count = commas(h->text, end);
    return count > 1 && commas(second, end) == count;
}

static bool has_all(const struct head *h, const struct nadi_signature *s,
                    bool (*has)(const struct head *, const char *))
{
    for (int i = 0; i < MARKS && s->marks[i]; i++)
        if (!has(h, s->marks[i]))
            return false;
    return true;
}

static bool has_any(const struct head *h, const struct nadi_signature *s,
                    bool (*has)(const struct head *, const char *))
{
    for (int i = 0; i < MARKS && s->marks[i]; i++)
        if (has(h, s->marks[i]))
            return true;
    return false;
}

static bool has_word(const struct head *h, const char *mark)
{
    return find_bytes(h->text, h->bytes, mark);
}

static bool ends(const struct head *h, const char *mark)
{
    return h->path && nadi_str_ends(h->path, mark);
}

static bool fits(const struct head *h, const struct nadi_signature *s)
{
    const char first = h->bytes ? h->text[0] : '\0';
    switch (s->how) {
    case MAGIC:
        return h->data_bytes >= s->offset + s->length &&
               memcmp(h->data + s->offset, s->marks[0], s->length) == 0;
    case FIRST:
        return has_any(h, s, begins);
    case XML:
        return first == '<' && has_all(h, s, has_word);
    case JSON:
        return (first == '{' || first == '[') && has_all(h, s, has_key);
    case LINES:
        return has_all(h, s, has_line);
    case WORDS:
        return first != '{' && first != '[' && first != '<' && has_all(h, s, has_word);
    case LOG: {
        struct head all = *h;
        all.bytes = h->data_bytes < LOG_BYTES ? h->data_bytes : LOG_BYTES;
        all.text = (const char *)h->data;
        return has_all(&all, s, has_word);
    }
    case ENDS:
        return has_any(h, s, ends);
    case ONNX:
        return is_onnx(h);
    case SAFETENSORS:
        return is_safetensors(h);
    case CHAKRA:
        return is_chakra(h);
    case TABLE:
        return is_table(h);
    }
    return false;
}

const struct nadi_signature *nadi_signature_find(const char *path, const void *data, size_t bytes)
{
    struct head h = {.path = path, .text = data, .data = data, .data_bytes = bytes};
    h.bytes = bytes < HEAD_BYTES ? bytes : HEAD_BYTES;
    if (h.bytes >= 3 && memcmp(h.text, "\xef\xbb\xbf", 3) == 0) {
        h.text += 3;
        h.bytes -= 3;
    }
    while (h.bytes > 0 && *h.text && strchr(" \t\r\n", *h.text)) {
        h.text++;
        h.bytes--;
    }
    for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++)
        if (fits(&h, &signatures[i]))
            return &signatures[i];
    return NULL;
}

bool nadi_signature_is_for(const struct nadi_signature *s, const char *what)
{
    const size_t length = strlen(what);
    const char *at = s->readers;
    while (at && (at = strstr(at, what)) && (at[-1] != '|' || at[length] != '|'))
        at += length;
    return at;
}

const char *nadi_signature_form(const struct nadi_signature *s)
{
    return s->form;
}

const char *nadi_signature_hint(const struct nadi_signature *s)
{
    return s->hint;
}

bool nadi_signature_check(const char *path, const char *what, const void *data, size_t bytes,
                          struct nadi_diags *diags)
{
    const struct nadi_signature *s = nadi_signature_find(path, data, bytes);
    if (!s || nadi_signature_is_for(s, what))
        return true;
    if (!s->readers)
        return nadi_error(diags, "file/form", NADI_IN_FILE(path), s->hint,
                          "this is %s, which nadi does not read; %s %s is wanted", s->form,
                          nadi_str_article(what), what);
    return nadi_error(diags, "file/form", NADI_IN_FILE(path), s->hint,
                      "this is %s; %s %s is wanted", s->form, nadi_str_article(what), what);
}

bool nadi_signature_check_file(const char *path, const char *what, struct nadi_diags *diags)
{
    char head[4096];
    struct stat about;
    ssize_t bytes = -1;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return true;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        bytes = read(fd, head, sizeof(head));
        close(fd);
    }
    return bytes <= 0 || nadi_signature_check(path, what, head, (size_t)bytes, diags);
}
