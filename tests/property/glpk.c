/* Least assignments against GLPK: 200 random instances of up to 200 rows cost the same. Workers of
 * one row each by GLPK's assignment (whole costs), others by its simplex, whose corners are whole.
 * Skipped where libglpk-dev is not installed. */
#include "base/mem.h"
#include "base/rng.h"
#include "partition/assign.h"

#include <stdio.h>

#ifdef NADI_HAVE_GLPK
#include <glpk.h>
#include <math.h>

enum { INSTANCES = 200, MOST_ROWS = 200, MOST_WORKERS = 16 };

struct arc_data {
    double cost, flow;
    int low, capacity;
};

/* Every worker takes one row. */
static double solve_square(const struct nadi_assign *a)
{
    glp_graph *g = glp_create_graph(0, sizeof(struct arc_data));
    const int rows = (int)a->rows;
    double sum = (double)NAN;
    glp_add_vertices(g, 2 * rows);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < rows; k++) {
            glp_arc *arc = glp_add_arc(g, 1 + r, 1 + rows + k);
            ((struct arc_data *)arc->data)->cost = a->cost[r * rows + k];
        }
    const int status =
        glp_asnprob_okalg(GLP_ASN_MIN, g, -1, offsetof(struct arc_data, cost), &sum, -1);
    glp_delete_graph(g);
    return status == 0 ? sum : (double)NAN;
}

static double solve_capacities(const struct nadi_assign *a)
{
    glp_prob *p = glp_create_prob();
    const int rows = (int)a->rows, workers = (int)a->workers;
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    glp_add_rows(p, rows + workers);
    glp_add_cols(p, rows * workers);
    for (int r = 0; r < rows; r++)
        glp_set_row_bnds(p, 1 + r, GLP_FX, 1, 1);
    for (int k = 0; k < workers; k++)
        glp_set_row_bnds(p, 1 + rows + k, GLP_UP, 0, a->capacity[k]);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < workers; k++) {
            const int column = 1 + r * workers + k;
            const int index[] = {0, 1 + r, 1 + rows + k};
            const double one[] = {0, 1, 1};
            glp_set_col_bnds(p, column, GLP_LO, 0, 0);
            glp_set_obj_coef(p, column, a->cost[r * workers + k]);
            glp_set_mat_col(p, column, 2, index, one);
        }
    const int status = glp_simplex(p, &how);
    const double sum =
        status == 0 && glp_get_status(p) == GLP_OPT ? glp_get_obj_val(p) : (double)NAN;
    glp_delete_prob(p);
    return sum;
}

static bool one(uint32_t seed)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "glpk");
    const bool square = seed % 3 == 0;
    const uint32_t rows = 1 + (uint32_t)nadi_rng_below(&rng, MOST_ROWS);
    const uint32_t workers = square ? rows : 1 + (uint32_t)nadi_rng_below(&rng, MOST_WORKERS);
    double *cost = NADI_NEW(double, (size_t)rows *workers);
    uint32_t *capacity = NADI_NEW(uint32_t, workers), *worker = NADI_NEW(uint32_t, rows);
    for (uint32_t k = 0; k < workers; k++)
        capacity[k] = square ? 1 : (rows + workers - 1) / workers + (uint32_t)(k % 2);
    for (size_t i = 0; i < (size_t)rows * workers; i++)
        cost[i] = square || seed % 2 ? (double)nadi_rng_below(&rng, 1000) : nadi_rng_unit(&rng);
    const struct nadi_assign a = {cost, capacity, rows, workers};
    const double ours = nadi_assign_solve(&a, worker, NULL);
    const double theirs = square ? solve_square(&a) : solve_capacities(&a);
    const bool same = fabs(ours - theirs) <= 1e-7 * (1 + fabs(theirs));
    if (!same)
        printf("instance %u, %u rows, %u workers: %.12g, GLPK %.12g\n", seed, rows, workers, ours,
               theirs);
    nadi_mem_free(cost);
    nadi_mem_free(capacity);
    nadi_mem_free(worker);
    return same;
}

int main(void)
{
    uint32_t wrong = 0;
    glp_term_out(GLP_OFF);
    for (uint32_t seed = 0; seed < INSTANCES; seed++)
        wrong += !one(seed);
    printf("%u of %d instances cost the same by GLPK\n", INSTANCES - wrong, INSTANCES);
    return wrong ? 1 : 0;
}

#else

int main(void)
{
    enum { SKIPPED = 77 };
    printf("skipped: this build has no GLPK (Debian: libglpk-dev)\n");
    return SKIPPED;
}

#endif
