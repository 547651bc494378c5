/* step_host: where the host is late with the launch of kernels. */
#include "model/step_emit.h"

/* Does any pass of a layer have as much work for the host as for the device, but for a tenth? Else
 * the host, which runs ahead, is never late. */
static bool host_is_late(const struct nadi_step_variant *v, double kernel_ns)
{
    for (uint32_t k = 0; k < v->net.kind_count; k++) {
        double host[2] = {0}, device[2] = {0}; /* forward, backward */
        for (uint32_t o = 0; o < v->net.kinds[k].op_count; o++)
            for (int part = 0; part < NADI_COST_PARTS; part++) {
                const struct nadi_work *w = &v->costs[k][o].part[part];
                host[part != NADI_COST_FORWARD] += w->kernels * kernel_ns;
                device[part != NADI_COST_FORWARD] += w->ns;
            }
        if (host[0] > 0.9 * device[0] || host[1] > 0.9 * device[1])
            return true;
    }
    return false;
}

double nadi_step_host_kernel_ns(const struct nadi_model_step *s)
{
    const struct nadi_model_plan *p = &s->study->plan;
    if (!s->has_device || p->cuda_graphs || p->mode != NADI_MODE_TRAIN ||
        !(s->study->cluster.host_speed > 0))
        return 0;
    const double ns = p->host_launch_ns * p->kernels_an_op / s->study->cluster.host_speed;
    for (uint32_t i = 0; i < s->variant_count && ns > 0; i++)
        if (host_is_late(&s->variants[i], ns))
            return ns;
    return 0;
}
