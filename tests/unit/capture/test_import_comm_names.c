/* What names of kernels and of the operators around them say about communication. */
#include "capture/comm_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void kernels(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum nadi_comm_kernel kernel;
        enum nadi_comm_operation operation;
    } cases[] = {
        {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", NADI_KERNEL_COMM,
         NADI_OPERATION_ALL_GATHER},
        {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", NADI_KERNEL_COMM,
         NADI_OPERATION_COALESCED},
        {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(int*)",
         NADI_KERNEL_COMM, NADI_OPERATION_ALL_REDUCE},
        {"void vllm::cross_device_reduce_2stage<__half, 8>(vllm::RankData*)", NADI_KERNEL_COMM,
         NADI_OPERATION_ALL_REDUCE},
        {"void trtllm::twoShotAllReduceKernel<float, 8>(Params)", NADI_KERNEL_COMM,
         NADI_OPERATION_ALL_REDUCE},
        {"nvshmem_all_to_all_vdev", NADI_KERNEL_COMM, NADI_OPERATION_ALL_TO_ALL},
        {"mscclKernel_Sum_float_LL_false(ncclDevComm*)", NADI_KERNEL_COMM, NADI_OPERATION_UNKNOWN},
        {"rcclGenericKernel", NADI_KERNEL_COMM, NADI_OPERATION_UNKNOWN},
        /* no operation is said: listed, not taken */
        {"void deep_ep::intranode::dispatch<8, 512>(int4*)", NADI_KERNEL_LIKE,
         NADI_OPERATION_UNKNOWN},
        {"nvshmemi_barrier_on_stream_kernel", NADI_KERNEL_LIKE, NADI_OPERATION_BARRIER},
        {"void c10d::symmetric_memory::put_signal_kernel(unsigned int**)", NADI_KERNEL_LIKE,
         NADI_OPERATION_UNKNOWN},
        /* computation, whatever its arguments and the operators fused into it are called */
        {"triton_poi_fused_all_reduce_wait_tensor_0", NADI_KERNEL_COMPUTE,
         NADI_OPERATION_ALL_REDUCE},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add>(int)",
         NADI_KERNEL_COMPUTE, NADI_OPERATION_UNKNOWN},
        {"void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*>>(int)",
         NADI_KERNEL_COMPUTE, NADI_OPERATION_REDUCE},
        {"Memcpy PtoP (Device -> Device)", NADI_KERNEL_COMPUTE, NADI_OPERATION_UNKNOWN},
        {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_tn", NADI_KERNEL_OTHER,
         NADI_OPERATION_UNKNOWN},
        {"void fused_scatter_kernel<ncclComm>(all_reduce*)", NADI_KERNEL_OTHER,
         NADI_OPERATION_SCATTER},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (nadi_comm_kernel_of(cases[i].name) != cases[i].kernel)
            print_error("%s\n", cases[i].name);
        assert_int_equal(nadi_comm_kernel_of(cases[i].name), cases[i].kernel);
        assert_int_equal(nadi_comm_operation_of(cases[i].name), cases[i].operation);
    }
}

static void operators(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum nadi_comm_operation operation;
    } cases[] = {
        {"nccl:all_to_all", NADI_OPERATION_ALL_TO_ALL},
        {"nccl:_all_gather_base", NADI_OPERATION_ALL_GATHER},
        {"nccl:send 0->1", NADI_OPERATION_SEND},
        {"c10d::alltoall_base_", NADI_OPERATION_ALL_TO_ALL},
        {"_c10d_functional::wait_tensor", NADI_OPERATION_NOT_ANY},
        {"symm_mem::multimem_all_reduce_", NADI_OPERATION_ALL_REDUCE},
        {"_C_custom_ar::all_reduce", NADI_OPERATION_ALL_REDUCE},
        {"vllm::all_gather", NADI_OPERATION_ALL_GATHER},
        {"vllm::gather_and_maybe_dequant_cache", NADI_OPERATION_UNKNOWN},
        {"record_param_comms", NADI_OPERATION_UNKNOWN},
        {"aten::scatter_reduce", NADI_OPERATION_UNKNOWN},
        {"## all2all_data:lengths all_to_all ##", NADI_OPERATION_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (nadi_comm_enclosing(cases[i].name) != cases[i].operation)
            print_error("%s\n", cases[i].name);
        assert_int_equal(nadi_comm_enclosing(cases[i].name), cases[i].operation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels),
        cmocka_unit_test(operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
