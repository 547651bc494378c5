/* nadi/topo: networks: read, describe and draw them.
 *
 *     const char *words[] = {"fat-tree", "k=8"};
 *     struct nadi_topo *t = nadi_topo_open(words, 2, NULL, messages);
 *     if (t) {
 *         char *text = nadi_topo_report(t, 0);
 *         fputs(text, stdout);
 *         nadi_free(text);
 *     }
 *     nadi_topo_close(t);
 *
 * The conventions of nadi.h hold. */
#ifndef NADI_TOPO_H
#define NADI_TOPO_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_topo;

/* The words are one path of a network file, or a generator and its parameters: "fat-tree", "k=8",
 * "shape=4x4x4", "scale-out=fat-tree", "scale-out.k=8". prices: "leaf=18000,cable=300", or NULL.
 * NULL with messages when an input was wrong. */
struct nadi_topo *nadi_topo_open(const char *const *words, size_t count, const char *prices,
                                 struct nadi_diags *messages);
void nadi_topo_close(struct nadi_topo *t); /* NULL is fine */

/* Texts that the caller frees: figures, a picture, the network file of nodes and links. */
char *nadi_topo_report(const struct nadi_topo *t, int json);
char *nadi_topo_svg(const struct nadi_topo *t);
char *nadi_topo_file(const struct nadi_topo *t);

#ifdef __cplusplus
}
#endif
#endif
