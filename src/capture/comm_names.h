/* comm_names: what names of operators and kernels say about communication.
 *
 * Libraries call an operation in many ways ("all_reduce",
 * "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "c10d::_allgather_base_"); what is known of them
 * stands here. A kernel's name alone may mislead: an all-to-all runs as kernels of sends and
 * receives. What encloses it goes first. */
#ifndef NADI_CAPTURE_COMM_NAMES_H
#define NADI_CAPTURE_COMM_NAMES_H

#include "base/base.h"

enum nadi_comm_operation {
    NADI_OPERATION_UNKNOWN = 0,
    NADI_OPERATION_ALL_REDUCE,
    NADI_OPERATION_REDUCE,
    NADI_OPERATION_ALL_GATHER,
    NADI_OPERATION_GATHER,
    NADI_OPERATION_SCATTER,
    NADI_OPERATION_BROADCAST,
    NADI_OPERATION_ALL_TO_ALL,
    NADI_OPERATION_REDUCE_SCATTER,
    NADI_OPERATION_BARRIER,
    NADI_OPERATION_SEND,
    NADI_OPERATION_RECV,
    NADI_OPERATION_COALESCED, /* sends and receives that the operators around it name */
    NADI_OPERATION_NOT_ANY,   /* wait, init: no communication */
};

/* Of a name that a library gives its operation or its kernel. */
enum nadi_comm_operation nadi_comm_operation_of(const char *name);
/* Of an operator or annotation that encloses kernels: "nccl:all_to_all", "c10d::alltoall_base_",
 * "symm_mem::multimem_all_reduce_". UNKNOWN: it is none of communication. */
enum nadi_comm_operation nadi_comm_enclosing(const char *name);

enum nadi_comm_kernel {
    NADI_KERNEL_OTHER = 0,
    NADI_KERNEL_COMPUTE, /* of the framework's own computation: a copy within a collective is none
                          */
    NADI_KERNEL_LIKE,    /* something in its name sounds like communication */
    NADI_KERNEL_COMM,
};
enum nadi_comm_kernel nadi_comm_kernel_of(const char *name);

#endif
