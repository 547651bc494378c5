/* Signatures: what the beginnings of files of others and of our own are called, who reads them, and
 * what looks like them and is not. */
#include "base/signature.h"
#include "base/str.h"

#include <setjmp.h>

#include <cmocka.h>

#define TEXT(text) text, sizeof(text) - 1

static const struct {
    const char *path, *text;
    size_t bytes;
    const char *form; /* begins so; NULL: not known */
} files[] = {
    {"a", TEXT("SQLite format 3\0\x10"), "an SQLite"},
    {"a", TEXT("\x89HDF\r\n\x1a\n\0"), "an HDF5"},
    {"a", TEXT("GGUF\3\0\0\0"), "a GGUF"},
    {"a", TEXT("\x40\0\0\0\0\0\0\0{\"__metadata__\":{}}"), "a safetensors model"},
    {"a",
     TEXT("\x08\x07\x12\x07pytorch\x1a\x05"
          "2.1.0"),
     "an ONNX"},
    {"a.onnx", TEXT("?"), "an ONNX"},
    {"rank0.nsys-rep", TEXT("?"), "a profile of Nsight Systems"},
    {"a", TEXT("\xd4\xc3\xb2\xa1\2\0\4\0"), "a capture of packets (pcap)"},
    {"a", TEXT("PK\3\4...."), "a ZIP archive"},
    {"a", TEXT("\x1f\x8b\x08\0"), "compressed with gzip"},
    {"a",
     TEXT("\x1f\x0a\x05"
          "0.0.4\x12"),
     "a Chakra execution trace"},
    {"a",
     TEXT("\xa1\x01\x0a\x05"
          "0.0.4\x12"),
     "a Chakra execution trace"},
    {"a",
     TEXT("\n<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/a.dtd\">\n"
          "<platform version=\"4.1\"/>"),
     "a SimGrid platform (XML)"},
    {"a", TEXT("<graphml xmlns=\"x\"/>"), "a GraphML graph"},
    {"a", TEXT("<system version=\"1\">\n<cpu numaid=\"0\"/></system>"), "the topology of a server"},
    {"a", TEXT("<algo name=\"a\"><gpu id=\"0\"/></algo>"), "an MSCCL algorithm (XML)"},
    {"a", TEXT("<!DOCTYPE HTML><body>"), "a page (HTML)"},
    {"a", TEXT("<?xml version='1.0'?><other/>"), "XML"},
    {"a", TEXT("{\"traceEvents\" : []}"), "a trace of events"},
    {"a", TEXT("{\"workload_graph\": [{\"Id\": 1}]}"), "a Chakra trace as JSON"},
    {"a", TEXT("{\"id\": \"1\", \"ctrlDeps\": []}"), "a Chakra trace as JSON"},
    {"a", TEXT("{\"1-Epoch_Duration\": 1e-6, \"4-Collective_Finish_Time\": 2e-6}"),
     "a schedule of TE-CCL (JSON)"},
    {"a", TEXT("#\n  #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"),
     "the output of the Intel MPI Benchmarks"},
    {"a", TEXT(" #bytes     #iterations    BW peak[MB/sec]\n"), "the output of perftest"},
    {"a", TEXT("nvbandwidth Version: v0.4\n"), "the output of nvbandwidth"},
    {"a",
     TEXT("[2026-01-02] args\n iteration       10/     100 | elapsed time per iteration (ms): 9.1 "
          "|\n"),
     "a log of Megatron-LM"},
    {"a", TEXT("[rank0]: INFO - step: 10  loss:  7.0  memory: 50GiB  tps: 7,211  mfu: 50%\n"),
     "a log of torchtitan"},
    {"a", TEXT("Epoch 0: 10% v_num=1, train_step_timing in s=9.1\n"), "a log of NeMo"},
    {"a", TEXT(":::MLLOG {\"namespace\": \"\"}\n"), "a log of MLPerf"},
    {"a", TEXT("{\"prompts\": {}, \"similarity_fn_name\": \"cosine\"}"),
     "how sentence-transformers"},
    {"a", TEXT("==PROF== Connected to process 1\n"), "the output of Nsight Compute"},
    {"a",
     TEXT(
         "Processing [a.sqlite]...\nTime (%),Total Time (ns),Instances,Avg (ns),Name\n9,1,1,1,a\n"),
     "a summary of kernels by Nsight Systems"},
    {"a", TEXT("Start (ns),Duration (ns),CorrId,GrdX,Device,Strm,Name\n1,2,3,4,G (0),7,a\n"),
     "a table of work by Nsight Systems"},
    {"a", TEXT("[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\nDevice: 0\n"),
     "the output of CUDA's p2p"},
    {"a", TEXT("|  overhead | bandwidth (MB/s) |\n| typical | average |\n"),
     "the output of ucx_perftest"},
    {"a", TEXT("{\"_class_name\": \"AutoencoderKL\", \"_diffusers_version\": \"0.6.0\"}"),
     "a configuration of diffusers"},
    {"a", TEXT("{\"peft_type\": \"LORA\", \"r\": 8}"), "an adapter of a model"},
    {"a", TEXT("{\"hidden_size\": 8, \"num_hidden_layers\": 2, \"type_vocab_size\": 2}"),
     "a configuration of BERT"},
    {"a",
     TEXT("{\"model_type\": \"bert\", \"hidden_size\": 8, \"num_hidden_layers\": 2, "
          "\"type_vocab_size\": 2}"),
     "a Hugging Face configuration"},
    {"a",
     TEXT("{\"hidden_size\": 8, \"num_hidden_layers\": 2, \"tokenizer_class\": \"T\", "
          "\"model_max_length\": 9}"),
     "a Hugging Face configuration"},
    {"a", TEXT("{\"tokenizer_class\": \"T\", \"model_max_length\": 9}"),
     "the configuration of a tokenizer"},
    {"a", TEXT("{\"dim\": 8, \"n_layers\": 2, \"n_heads\": 2, \"norm_eps\": 1e-5}"),
     "the parameters of a model as Meta"},
    {"a", TEXT("{\"dim\": 8, \"n_layers\": 2, \"inter_dim\": 2}"), "a model as DeepSeek's"},
    {"a", TEXT("{\"n_vocab\": 8, \"n_embd\": 2, \"n_head\": 2, \"n_layer\": 1}"),
     "the parameters of a GPT-2"},
    {"a", TEXT("{\"emb_size\": 8, \"feedforward_size\": 9, \"heads_num\": 2, \"layers_num\": 1}"),
     "a configuration of TencentPretrain"},
    {"a", TEXT("{\"class_name\": \"Sequential\", \"keras_version\": \"2\"}"), "a Keras model"},
    {"a", TEXT("{\"_from_model_config\": true}"), "how a model generates text"},
    {"a", TEXT("{\"producer\": {}, \"quantization\": {}}"), "how a model is quantised"},
    {"a", TEXT("{\"schemaVersion\": 1, \"deviceProperties\": []"), "a profile of PyTorch"},
    {"a", TEXT("{\"rocprofiler-sdk-tool\": [{\"metadata\": {}}]}"),
     "a profile of rocprofv3 (JSON)"},
    {"a", TEXT("\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\"\n\"a\",1,1,\"k\"\n"),
     "a table of rocprofv3 (CSV)"},
    {"a", TEXT("Index,KernelName,gpu-id\n0,k,1\n"), "a table of rocprof (CSV)"},
    {"a", TEXT("{\"schema\": \"1.1\", \"pid\": 1, \"nodes\": []}"),
     "an execution trace of PyTorch"},
    {"a", TEXT("\xef\xbb\xbf{\"architectures\": [], \"model_type\": \"llama\"}"), "a Hugging Face"},
    {"a", TEXT("{\"all-reduce-implementation\": [\"ring\"]}"), "a system file"},
    {"a", TEXT("# nThread 1 nGpus 8\n#       size         count\n"), "the output of nccl-tests"},
    {"a", TEXT("host: NCCL INFO Bootstrap\n"), "a log of NCCL"},
    {"a", TEXT("Digraph g {\n}"), "a graph in DOT"},
    {"a", TEXT("HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n"), "a text workload"},
    {"a", TEXT("NPUs Count,3\nLinks Count,4\n"), "a table of TACOS"},
    {"a", TEXT("a,b,c\n1,2,3\n"), "a table of comma-separated values"},
    {"a", TEXT("topology: [Ring]\nnpus_count: [8]\n"), "a network file"},
    {"a", TEXT("#!/bin/sh\n"), "a script"},
    /* not so */
    {"a", TEXT(""), NULL},
    {"a", TEXT("   \n"), NULL},
    {"a", TEXT("SQLite format 4\0"), NULL},
    {"a", TEXT("{\"notes\": \"traceEvents: none\"}"), NULL},
    {"a", TEXT("{\"dim\": 8, \"n_layers\": 2, \"n_heads\": 2}"), NULL}, /* DistilBERT's too */
    {"a", TEXT("#bytes of iterations\n"), NULL},
    {"a", TEXT("{\"text\": \"schemaVersion\", \"deviceProperties\": 1}"), NULL},
    {"a", TEXT("my topology: 1\nnpus_count: [8]\n"), NULL},
    {"a", TEXT("a,b,c\n1,2\n"), NULL},
    {"a", TEXT("a: [1,2,3]\nb: [1,2,3]\n"), NULL},
    {"a", TEXT("8 0 8\n\n0 1 25Gbps 0.005ms 0\n"), NULL},
    {"a", TEXT("\x08\x07\x12\x07pyt"), NULL}, /* cut */
    {"a",
     TEXT("\x1f\x0a\x05"
          "0"),
     NULL},
};

static void forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        const struct nadi_signature *s =
            nadi_signature_find(files[i].path, files[i].text, files[i].bytes);
        if (!s != !files[i].form || (s && !nadi_str_starts(nadi_signature_form(s), files[i].form)))
            fail_msg("%zu: %s", i, s ? nadi_signature_form(s) : "not known");
    }
}

static void readers(void **state)
{
    (void)state;
    const struct nadi_signature *s = nadi_signature_find(NULL, TEXT("NPUs Count,3\n"));
    assert_true(nadi_signature_is_for(s, "file of a collective"));
    assert_false(nadi_signature_is_for(s, "file"));
    assert_false(nadi_signature_is_for(s, "collective"));
    s = nadi_signature_find(NULL, TEXT("a,b,c\n1,2,3\n"));
    assert_true(nadi_signature_is_for(s, "table")); /* behind "table of runs" */
    assert_true(nadi_signature_is_for(s, "table of runs"));
    s = nadi_signature_find(NULL, TEXT("GGUF"));
    assert_false(nadi_signature_is_for(s, "model"));
}

static void checks(void **state)
{
    (void)state;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_signature_check("a", "system file", TEXT("{\"peak-perf\": 1}"), &diags));
    assert_true(nadi_signature_check_file("/there/is/no/such/file", "system file", &diags));
    assert_true(nadi_signature_check_file("/", "system file", &diags));
    assert_int_equal(diags.count, 0);
    assert_false(nadi_signature_check("a", "system file", TEXT("GGUF"), &diags));
    assert_string_equal(diags.items[0].message,
                        "this is a GGUF model, which nadi does not read; a system file is wanted");
    assert_false(nadi_signature_check("a", "system file", TEXT("NPUs Count,3\n"), &diags));
    assert_string_equal(diags.items[1].message,
                        "this is a table of TACOS (CSV); a system file is wanted");
    nadi_diags_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(readers),
                                       cmocka_unit_test(checks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
