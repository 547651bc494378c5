/* nadi/fabric: switches that add up and copy on the way: Fred_m(P).
 *
 * The conventions of nadi.h hold. */
#ifndef NADI_FABRIC_H
#define NADI_FABRIC_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of flows through a switch, all at once. */
struct nadi_fabric_route_options {
    size_t size;
    uint32_t ports;          /* 2 to 1,024 */
    uint32_t middle;         /* middle networks, m: 1 to 16 */
    const char *flows;       /* "0,1>0,1; 3-5>3-5": inputs are added up, outputs get the sum */
    const char *on_conflict; /* "serialise", "ring", "raise-m", "re-place" */
    const char *form;        /* "text", "json" */
};

void nadi_fabric_route_options_init(struct nadi_fabric_route_options *options);
enum nadi_status nadi_fabric_route_flows(const struct nadi_fabric_route_options *options,
                                         char **report, struct nadi_diags *messages);

/* Every phase of every strategy MP x PP x DP of 2 to P workers. */
struct nadi_fabric_check_options {
    size_t size;
    const char *ports;     /* "20", "8,12,16,20": each 2 to 256 */
    const char *middle;    /* "3", "2,3,4" */
    const char *placement; /* "mp,pp,dp": innermost first; "all": all six orders */
    const char *form;      /* "text", "json", "csv" */
};

void nadi_fabric_check_options_init(struct nadi_fabric_check_options *options);
enum nadi_status nadi_fabric_check_strategies(const struct nadi_fabric_check_options *options,
                                              char **report, struct nadi_diags *messages);

/* Micro-switches by kind, depth, bits of configuration. */
struct nadi_fabric_count_options {
    size_t size;
    const char *ports;  /* "20", "8,16,32": each 2 to 1,048,576 */
    const char *middle; /* "3", "2,3" */
    const char *form;   /* "text", "json", "csv" */
};

void nadi_fabric_count_options_init(struct nadi_fabric_count_options *options);
enum nadi_status nadi_fabric_count_switches(const struct nadi_fabric_count_options *options,
                                            char **report, struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif
