/* Arithmetic and traffic of operators, by hand, from the shapes of the execution trace and, where
 * those of the profile are enough, from them alone. */
#include "support/imported.h"

#include "base/str.h"
#include "capture/cost.h"
#include "capture/cost_formula.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* So that it says more than the operators it calls. */
static bool has_formula(const char *operator)
{
    return nadi_formula_find(operator)->formula != NADI_FORMULA_ELEMENTWISE;
}

struct argument {
    const char *shape; /* of a float32 tensor; NULL: none */
    const char *value; /* what is no tensor */
};

struct row {
    const char *name;
    struct argument in[16];
    const char *out[3];
    const char *kind;
    uint64_t ops, bytes;
    uint64_t alone_ops; /* from the profile alone */
};

#define T(shape)                                                                                   \
    {                                                                                              \
        shape, NULL                                                                                \
    }
#define V(value)                                                                                   \
    {                                                                                              \
        NULL, value                                                                                \
    }

static const struct row table[] = {
    {"aten::mm",
     {T("[32, 64]"), T("[64, 16]")},
     {"[32, 16]"},
     "matmul",
     2 * 32 * 64 * 16,
     4 * (32 * 64 + 64 * 16 + 32 * 16),
     2 * 32 * 64 * 16},
    {"aten::addmm",
     {T("[16]"), T("[32, 64]"), T("[64, 16]"), V("1")},
     {"[32, 16]"},
     "matmul",
     2 * 32 * 64 * 16 + 32 * 16,
     4 * (16 + 32 * 64 + 64 * 16 + 32 * 16),
     2 * 32 * 64 * 16},
    {"aten::bmm",
     {T("[8, 32, 64]"), T("[8, 64, 16]")},
     {"[8, 32, 16]"},
     "matmul",
     8 * 2 * 32 * 64 * 16,
     4 * 8 * (32 * 64 + 64 * 16 + 32 * 16),
     8 * 2 * 32 * 64 * 16},
    {"aten::linear",
     {T("[4, 32, 64]"), T("[16, 64]"), T("[16]")},
     {"[4, 32, 16]"},
     "matmul",
     2 * 4 * 32 * 64 * 16 + 4 * 32 * 16,
     4 * (4 * 32 * 64 + 16 * 64 + 16 + 4 * 32 * 16),
     2 * 4 * 32 * 64 * 16},
    {"aten::mv",
     {T("[32, 64]"), T("[64]")},
     {"[32]"},
     "matmul",
     2 * 32 * 64,
     4 * (32 * 64 + 64 + 32),
     2 * 32 * 64},
    {"aten::cudnn_convolution",
     {T("[8, 3, 32, 32]"), T("[64, 3, 7, 7]"), V("[3, 3]"), V("[2, 2]"), V("[1, 1]"), V("1")},
     {"[8, 64, 16, 16]"},
     "convolution",
     2 * 8 * 64 * 16 * 16 * 3 * 7 * 7,
     4 * (8 * 3 * 32 * 32 + 64 * 3 * 7 * 7 + 8 * 64 * 16 * 16),
     2 * 8 * 64 * 16 * 16 * 3 * 7 * 7},
    {"aten::convolution_backward",
     {T("[8, 64, 16, 16]"), T("[8, 32, 16, 16]"), T("[64, 32, 3, 3]")},
     {"[8, 32, 16, 16]", "[64, 32, 3, 3]", "[64]"},
     "convolution",
     2 * 2 * 8 * 64 * 16 * 16 * 32 * 9,
     4 * (8 * 64 * 256 + 8 * 32 * 256 + 64 * 32 * 9 + 8 * 32 * 256 + 64 * 32 * 9 + 64),
     2 * 2 * 8 * 64 * 16 * 16 * 32 * 9},
    {"aten::convolution_backward",
     {T("[8, 64, 16, 16]"), T("[8, 32, 16, 16]"), T("[64, 32, 3, 3]")},
     {"[64, 32, 3, 3]", "[64]"},
     "convolution",
     2 * 8 * 64 * 16 * 16 * 32 * 9,
     4 * (8 * 64 * 256 + 8 * 32 * 256 + 64 * 32 * 9 + 64 * 32 * 9 + 64),
     2 * 2 * 8 * 64 * 16 * 16 * 32 * 9},
    {"aten::_scaled_dot_product_flash_attention",
     {T("[2, 8, 128, 64]"), T("[2, 8, 256, 64]"), T("[2, 8, 256, 64]"), V("0."), V("false")},
     {"[2, 8, 128, 64]"},
     "attention",
     UINT64_C(4) * 2 * 8 * 128 * 256 * 64,
     4 * 2 * 8 * 64 * (128 + 256 + 256 + 128),
     UINT64_C(4) * 2 * 8 * 128 * 256 * 64},
    {"aten::_scaled_dot_product_flash_attention",
     {T("[2, 8, 128, 64]"), T("[2, 8, 128, 64]"), T("[2, 8, 128, 64]"), V("0."), V("true")},
     {"[2, 8, 128, 64]"},
     "attention",
     UINT64_C(2) * 2 * 8 * 128 * 128 * 64,
     4 * 2 * 8 * 64 * 4 * 128,
     UINT64_C(2) * 2 * 8 * 128 * 128 * 64},
    {"aten::_flash_attention_forward", /* sequence before head */
     {T("[2, 128, 8, 64]"), T("[2, 256, 8, 64]"), T("[2, 256, 8, 64]")},
     {"[2, 128, 8, 64]"},
     "attention",
     UINT64_C(4) * 2 * 8 * 128 * 256 * 64,
     4 * 2 * 8 * 64 * (128 + 256 + 256 + 128),
     UINT64_C(4) * 2 * 8 * 128 * 256 * 64},
    {"aten::_scaled_dot_product_flash_attention_backward",
     {T("[2, 8, 128, 64]"), T("[2, 8, 128, 64]"), T("[2, 8, 128, 64]"), T("[2, 8, 128, 64]")},
     {"[2, 8, 128, 64]"},
     "attention",
     UINT64_C(10) * 2 * 8 * 128 * 128 * 64,
     4 * 2 * 8 * 64 * 5 * 128,
     UINT64_C(10) * 2 * 8 * 128 * 128 * 64},
    {"aten::native_layer_norm",
     {T("[32, 64]"), V("[64]"), T("[64]"), T("[64]")},
     {"[32, 64]"},
     "norm",
     8 * 32 * 64,
     4 * (2 * 32 * 64 + 2 * 64),
     8 * 32 * 64},
    {"aten::native_layer_norm_backward",
     {T("[32, 64]"), T("[32, 64]")},
     {"[32, 64]"},
     "norm",
     12 * 32 * 64,
     4 * 3 * 32 * 64,
     12 * 32 * 64},
    {"aten::_softmax",
     {T("[32, 64]"), V("-1"), V("false")},
     {"[32, 64]"},
     "softmax",
     5 * 32 * 64,
     4 * 2 * 32 * 64,
     5 * 32 * 64},
    {"aten::add",
     {T("[32, 64]"), T("[64]"), V("1")},
     {"[32, 64]"},
     "elementwise",
     32 * 64,
     4 * (2 * 32 * 64 + 64),
     32 * 64},
    {"aten::sum", {T("[32, 64]")}, {"[1]"}, "reduction", 32 * 64, 4 * (32 * 64 + 1), 32 * 64},
    {"aten::copy_",
     {T("[32, 64]"), T("[32, 64]"), V("false")},
     {"[32, 64]"},
     "copy",
     32 * 64,
     4 * 2 * 32 * 64,
     32 * 64},
    {"aten::fill_", {T("[32, 64]"), V("0")}, {"[32, 64]"}, "copy", 32 * 64, 4 * 32 * 64, 32 * 64},
    {"aten::embedding",
     {T("[50000, 64]"), T("[8]")},
     {"[8, 64]"},
     "copy",
     8 * 64,
     4 * (2 * 8 * 64 + 8),
     50000 * 64},
    {"aten::index_put_",
     {T("[50000, 64]"), T("[8]"), T("[8, 64]")},
     {"[50000, 64]"},
     "copy",
     8 * 64,
     4 * (3 * 8 * 64 + 8),
     8 * 64},
};

static uint64_t elements_of(const char *shape)
{
    uint64_t product = 1;
    for (const char *p = shape + 1; *p && *p != ']'; p += strcspn(p, "0123456789]"))
        product *= strtoull(p, (char **)(void *)&p, 10);
    return product;
}

struct lists {
    struct nadi_str values, shapes, types, dims, kinds, concrete;
};

static void put_tensor(struct lists *l, const char *shape, unsigned i)
{
    nadi_str_printf(&l->values, "%s[%u, %u, 0, %" PRIu64 ", 4, \"cuda:0\"]", i ? ", " : "", i + 9,
                    i + 99, elements_of(shape));
    nadi_str_printf(&l->shapes, "%s%s", i ? ", " : "", shape);
    nadi_str_printf(&l->types, "%s\"Tensor(float)\"", i ? ", " : "");
    nadi_str_printf(&l->dims, "%s%s", i ? ", " : "", shape);
    nadi_str_printf(&l->kinds, "%s\"float\"", i ? ", " : "");
    nadi_str_printf(&l->concrete, "%s\"\"", i ? ", " : "");
}

static void put_value(struct lists *l, const char *value, unsigned i)
{
    const char *shown = strcmp(value, "true") == 0    ? "True"
                        : strcmp(value, "false") == 0 ? "False"
                                                      : value;
    nadi_str_printf(&l->values, "%s%s", i ? ", " : "", value[0] == '0' ? "0.5" : value);
    nadi_str_printf(&l->shapes, "%s[]", i ? ", " : "");
    nadi_str_printf(&l->types, "%s\"%s\"", i ? ", " : "",
                    value[0] == '[' ? "GenericList[Int]" : "Int");
    nadi_str_printf(&l->dims, "%s[]", i ? ", " : "");
    nadi_str_printf(&l->kinds, "%s\"Scalar\"", i ? ", " : "");
    nadi_str_printf(&l->concrete, "%s\"%s\"", i ? ", " : "", shown);
}

static void each_list(struct lists *l, void (*use)(struct nadi_str *))
{
    use(&l->values);
    use(&l->shapes);
    use(&l->types);
    use(&l->dims);
    use(&l->kinds);
    use(&l->concrete);
}

static void begin_list(struct nadi_str *s)
{
    *s = (struct nadi_str)NADI_STR_INIT;
    nadi_str_add(s, "[");
}

static void end_list(struct nadi_str *s)
{
    nadi_str_add(s, "]");
}

/* The operator with one kernel. */
static void write_row(struct recording *r, const struct row *row)
{
    struct lists in, out;
    struct nadi_str args = NADI_STR_INIT;
    each_list(&in, begin_list);
    each_list(&out, begin_list);
    for (unsigned i = 0; row->in[i].shape || row->in[i].value; i++)
        if (row->in[i].shape)
            put_tensor(&in, row->in[i].shape, i);
        else
            put_value(&in, row->in[i].value, i);
    for (unsigned i = 0; i < 3 && row->out[i]; i++)
        put_tensor(&out, row->out[i], i);
    each_list(&in, end_list);
    each_list(&out, end_list);
    nadi_str_printf(&args, ", \"Input Dims\": %s, \"Input type\": %s, \"Concrete Inputs\": %s",
                    in.dims.text, in.kinds.text, in.concrete.text);
    struct capture *c = recording_begin(r, NULL);
    capture_op(c,
               &(struct capture_op){.name = row->name,
                                    .from = 1000,
                                    .to = 50000,
                                    .inputs = {in.values.text, in.shapes.text, in.types.text},
                                    .outputs = {out.values.text, out.shapes.text, out.types.text},
                                    .args = args.text});
    const uint64_t call = capture_call(c, 0, "cudaLaunchKernel", 3000, 8000);
    capture_work(c, &(struct capture_work){.name = "kernel",
                                           .stream = 7,
                                           .from = 9000,
                                           .to = 40000,
                                           .correlation = call,
                                           .external = c->external});
    recording_end(r);
    each_list(&in, nadi_str_release);
    each_list(&out, nadi_str_release);
    nadi_str_release(&args);
}

static void by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct recording r;
        struct imported x;
        write_row(&r, &table[i]);
        for (int alone = 0; alone < 2; alone++) {
            imported_make(&x, &r, &(struct import_how){.device_alone = alone});
            assert_non_null(x.trace);
            const uint32_t node = imported_find(&x, "kernel", 0);
            const uint64_t want = alone ? table[i].alone_ops : table[i].ops;
            if (x.trace->ops[node] != want || (!alone && x.trace->bytes[node] != table[i].bytes))
                print_error("%s%s: %" PRIu64 " operations, %" PRIu64 " bytes\n", table[i].name,
                            alone ? ", alone" : "", x.trace->ops[node], x.trace->bytes[node]);
            assert_int_equal(x.trace->ops[node], want);
            assert_string_equal(x.capture.costs.items[0].kind, table[i].kind);
            if (!alone)
                assert_int_equal(x.trace->bytes[node], table[i].bytes);
            imported_release(&x);
        }
        recording_release(&r);
    }
}

/* The table is searched by halving: every name must be found. */
static void names_are_sorted(void **state)
{
    (void)state;
    static const char *const names[] = {
        "aten::_addmm_activation",
        "aten::_flash_attention_forward",
        "aten::mm",
        "aten::addmm",
        "aten::native_batch_norm",
        "aten::zero_",
        "flash_attn::_flash_attn_varlen_forward",
        "aten::conv2d",
        "aten::cudnn_convolution",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_true(has_formula(names[i]));
    assert_false(has_formula("aten::relu"));
    assert_true(has_formula("triton_tem_fused_addmm_3"));
    assert_false(has_formula("triton_poi_fused_add_0"));
}

/* The names that PyTorch gives a tensor's elements in C++ and in Python's profiles. */
static void widths_of_types(void **state)
{
    static const struct {
        const char *names;
        uint64_t bytes;
    } rows[] = {
        {"bool,Bool,unsigned char,Byte,signed char,Char,c10::Float8_e4m3fn,Float8_e5m2", 1},
        {"c10::Half,Half,c10::BFloat16,BFloat16,short,short int,Short", 2},
        {"float,Float,int,Int", 4},
        {"double,Double,long int,long,Long,c10::complex<float>,ComplexFloat", 8},
        {"c10::complex<double>,ComplexDouble", 16},
        {"Scalar,floats,Boolean,Float4", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (const char *at = rows[i].names, *end = at; *end; at = end + 1) {
            end = at + strcspn(at, ",");
            const struct nadi_view name = {.at = at, .bytes = (uint32_t)(end - at)};
            if (nadi_cost_type_bytes(name) != rows[i].bytes)
                fail_msg("%.*s: %" PRIu64, (int)name.bytes, at, nadi_cost_type_bytes(name));
        }
}

/* What each operator is counted as and, of attention, which argument says that it is causal, of
 * convolutions which one is the stride. The first and the last of the sorted table are among them.
 */
static void rows_of_operators(void **state)
{
    static const struct {
        enum nadi_formula formula;
        unsigned argument;
        const char *names;
    } rows[] = {
        {NADI_FORMULA_REDUCTION, 0,
         "aten::_adaptive_avg_pool2d aten::_foreach_norm aten::adaptive_avg_pool2d aten::all "
         "aten::amax aten::amin aten::any aten::argmax aten::argmin aten::avg_pool2d aten::cumsum "
         "aten::linalg_vector_norm aten::logsumexp aten::max aten::max_pool2d_with_indices "
         "aten::mean aten::min aten::nll_loss_forward aten::norm aten::prod aten::std aten::sum "
         "aten::var"},
        {NADI_FORMULA_ADDMM, 0, "aten::_addmm_activation aten::addmm aten::addmm_ aten::addmv"},
        {NADI_FORMULA_NORM, 0,
         "aten::_batch_norm_impl_index aten::_fused_rms_norm aten::batch_norm "
         "aten::cudnn_batch_norm aten::group_norm aten::instance_norm aten::layer_norm "
         "aten::miopen_batch_norm aten::native_batch_norm aten::native_group_norm "
         "aten::native_layer_norm aten::rms_norm"},
        {NADI_FORMULA_CONVOLUTION, 3,
         "aten::_convolution aten::_convolution_mode aten::conv1d aten::conv2d aten::conv3d "
         "aten::convolution aten::cudnn_convolution aten::cudnn_convolution_relu"},
        {NADI_FORMULA_ATTENTION_BACKWARD, 0,
         "aten::_cudnn_attention_backward flash_attn::_flash_attn_varlen_backward"},
        {NADI_FORMULA_ATTENTION, 11, "aten::_cudnn_attention_forward"},
        {NADI_FORMULA_ATTENTION_BACKWARD, 14,
         "aten::_efficient_attention_backward aten::_scaled_dot_product_cudnn_attention_backward"},
        {NADI_FORMULA_ATTENTION, 9, "aten::_efficient_attention_forward"},
        {NADI_FORMULA_GATHER, 0,
         "aten::_embedding_bag aten::_embedding_bag_forward_only aten::embedding aten::gather "
         "aten::index aten::index_select aten::take_along_dim"},
        {NADI_FORMULA_ATTENTION_BACKWARD, 11,
         "aten::_flash_attention_backward aten::_scaled_dot_product_efficient_attention_backward "
         "aten::_scaled_dot_product_flash_attention_backward flash_attn::_flash_attn_backward"},
        {NADI_FORMULA_ATTENTION, 8, "aten::_flash_attention_forward"},
        {NADI_FORMULA_COPY, 0,
         "aten::_foreach_copy_ aten::_to_copy aten::clone aten::contiguous aten::copy_"},
        {NADI_FORMULA_NORM_BACKWARD, 0,
         "aten::_fused_rms_norm_backward aten::batch_norm_backward aten::cudnn_batch_norm_backward "
         "aten::miopen_batch_norm_backward aten::native_batch_norm_backward "
         "aten::native_group_norm_backward aten::native_layer_norm_backward"},
        {NADI_FORMULA_MM, 0,
         "aten::_grouped_mm aten::_int_mm aten::_scaled_mm aten::dot aten::mm aten::mv"},
        {NADI_FORMULA_SCATTER_INTO, 0,
         "aten::_index_put_impl_ aten::index_add_ aten::index_copy_ aten::index_put_ "
         "aten::scatter_ aten::scatter_add aten::scatter_add_"},
        {NADI_FORMULA_SOFTMAX, 0,
         "aten::_log_softmax aten::_safe_softmax aten::_softmax aten::log_softmax aten::softmax"},
        {NADI_FORMULA_SOFTMAX_BACKWARD, 0,
         "aten::_log_softmax_backward_data aten::_softmax_backward_data"},
        {NADI_FORMULA_ATTENTION, 5,
         "aten::_scaled_dot_product_attention_math aten::scaled_dot_product_attention "
         "flash_attn::_flash_attn_forward"},
        {NADI_FORMULA_ATTENTION, 6,
         "aten::_scaled_dot_product_cudnn_attention aten::_scaled_dot_product_efficient_attention"},
        {NADI_FORMULA_ATTENTION, 4, "aten::_scaled_dot_product_flash_attention"},
        {NADI_FORMULA_BADDBMM, 0, "aten::addbmm aten::baddbmm"},
        {NADI_FORMULA_FILL, 0,
         "aten::bernoulli_ aten::exponential_ aten::fill_ aten::normal_ aten::random_ "
         "aten::uniform_ aten::zero_"},
        {NADI_FORMULA_BMM, 0, "aten::bmm aten::matmul"},
        {NADI_FORMULA_TRANSPOSED, 0,
         "aten::conv_transpose1d aten::conv_transpose2d aten::conv_transpose3d "
         "aten::cudnn_convolution_transpose aten::miopen_convolution_transpose"},
        {NADI_FORMULA_CONVOLUTION_BACKWARD, 0,
         "aten::convolution_backward aten::cudnn_convolution_backward"},
        {NADI_FORMULA_CONVOLUTION, 5, "aten::cudnn_convolution_add_relu"},
        {NADI_FORMULA_CONVOLUTION_BACKWARD_ONE, 0,
         "aten::cudnn_convolution_backward_input aten::cudnn_convolution_backward_weight"},
        {NADI_FORMULA_LINEAR, 0, "aten::linear aten::linear_backward"},
        {NADI_FORMULA_CONVOLUTION, 4, "aten::miopen_convolution aten::mkldnn_convolution"},
        {NADI_FORMULA_ATTENTION, 0, "flash_attn::_flash_attn_varlen_forward"},
        {NADI_FORMULA_ELEMENTWISE, 0,
         "aten::relu aten::_adaptive aten::zeros flash_attn::_flash_attn_zzz a z"},
        {NADI_FORMULA_MM, 0, "triton_tem_fused_mm_0 triton_tem_fused_addmm_relu_7"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (const char *at = rows[i].names, *end = at; *end; at = end + 1) {
            char name[80];
            end = at + strcspn(at, " ");
            snprintf(name, sizeof(name), "%.*s", (int)(end - at), at);
            const struct nadi_formula_row *row = nadi_formula_find(name);
            if (row->formula != rows[i].formula || row->argument != rows[i].argument)
                fail_msg("%s: formula %d, argument %u", name, (int)row->formula,
                         (unsigned)row->argument);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(names_are_sorted),
        cmocka_unit_test(widths_of_types), cmocka_unit_test(rows_of_operators)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
