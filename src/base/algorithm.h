/* algorithm: the algorithms of collectives by the words of files, a line each.
 *
 * Two lists. NADI_NATIVES are the reference's, which run dimension by dimension; NADI_GENERATORS
 * are step generators (collective/program.h). "one" in front of a word is the same over all ranks
 * at once; "[N]" behind it allows a number. From a line follow the words that the keys of files
 * take, the declaration and the table's row. To add a step generator: its file in
 * collective/algorithms/ and a line here. */
#ifndef NADI_BASE_ALGORITHM_H
#define NADI_BASE_ALGORITHM_H

/* X(enumerator, word, over all ranks, has that form) */
#define NADI_NATIVE_ALGORITHMS(X)                                                                  \
    X(RING, "ring", "oneRing", 1)                                                                  \
    X(DIRECT, "direct[N]", "oneDirect[N]", 1)                                                      \
    X(HALVING_DOUBLING, "halvingDoubling", "oneHalvingDoubling", 1)                                \
    X(DOUBLE_BINARY_TREE, "doubleBinaryTree", "", 0)

/* X(generator, word, over all ranks, and whether it is a word of: dimensions; broadcast and reduce;
 * gather and scatter; barrier; all-to-all-v) */
#define NADI_GENERATORS(X)                                                                         \
    X(ring, "ring", "", 0, 0, 0, 0, 0)                                                             \
    X(multi_ring, "multiRing[N]", "oneMultiRing[N]", 1, 0, 0, 0, 0)                                \
    X(direct, "direct", "", 0, 1, 1, 1, 1)                                                         \
    X(pairwise, "pairwise", "onePairwise", 1, 0, 0, 0, 1)                                          \
    X(bruck, "bruck", "oneBruck", 1, 0, 0, 1, 1)                                                   \
    X(recursive_doubling, "recursiveDoubling", "oneRecursiveDoubling", 1, 0, 0, 1, 0)              \
    X(rabenseifner, "rabenseifner", "oneRabenseifner", 1, 0, 0, 0, 0)                              \
    X(tree, "tree[N]", "oneTree[N]", 1, 1, 1, 1, 0)                                                \
    X(double_tree, "doubleTree[N]", "oneDoubleTree[N]", 1, 1, 0, 0, 0)                             \
    X(chain, "chain[N]", "oneChain[N]", 1, 1, 0, 0, 0)                                             \
    X(scatter_gather, "scatterGather", "", 0, 1, 0, 0, 0)                                          \
    X(pat, "pat", "onePat", 1, 0, 0, 0, 0)                                                         \
    X(torus, "torus", "oneTorus", 1, 0, 0, 0, 0)                                                   \
    X(hierarchical, "hierarchical", "oneHierarchical", 1, 0, 0, 0, 0)                              \
    X(in_switch, "inSwitch[N]", "oneInSwitch[N]", 1, 1, 0, 1, 0)                                   \
    X(in_switch_store, "inSwitchStore", "oneInSwitchStore", 1, 0, 0, 0, 0)

/* Elements of lists: of words for the keys of files, in the order of their help. */
#define NADI_IF_1(word) word,
#define NADI_IF_0(word)
#define NADI_NATIVE_WORD(id, word, one, has_one)                   word,
#define NADI_NATIVE_ONE(id, word, one, has_one)                    NADI_IF_##has_one(one)
#define NADI_DIMS_WORD(id, word, one, dims, rooted, all, bar, v)   NADI_IF_##dims(word)
#define NADI_DIMS_ONE(id, word, one, dims, rooted, all, bar, v)    NADI_IF_##dims(one)
#define NADI_ROOTED_WORD(id, word, one, dims, rooted, all, bar, v) NADI_IF_##rooted(word)
#define NADI_ALL_WORD(id, word, one, dims, rooted, all, bar, v)    NADI_IF_##all(word)
#define NADI_BAR_WORD(id, word, one, dims, rooted, all, bar, v)    NADI_IF_##bar(word)
#define NADI_V_WORD(id, word, one, dims, rooted, all, bar, v)      NADI_IF_##v(word)

/* Of clusters: the reference's alone. */
#define NADI_WORDS_OF_NATIVES                                                                      \
    NADI_NATIVE_ALGORITHMS(NADI_NATIVE_WORD) NADI_NATIVE_ALGORITHMS(NADI_NATIVE_ONE)
/* Of collectives that take an entry a dimension. */
#define NADI_WORDS_OF_DIMS                                                                         \
    NADI_WORDS_OF_NATIVES NADI_GENERATORS(NADI_DIMS_WORD) NADI_GENERATORS(NADI_DIMS_ONE)
/* Of the others. */
#define NADI_WORDS_OF_ROOTED  NADI_GENERATORS(NADI_ROOTED_WORD) /* broadcast, reduce */
#define NADI_WORDS_OF_ALL     NADI_GENERATORS(NADI_ALL_WORD)    /* gather, scatter */
#define NADI_WORDS_OF_BARRIER NADI_GENERATORS(NADI_BAR_WORD)
#define NADI_WORDS_OF_UNEVEN  NADI_GENERATORS(NADI_V_WORD) /* all-to-all-v */

/* Orders in which a chunk visits the dimensions (collective/schedule.h): X(word, enumerator). */
#define NADI_INTER_SCHEDULERS(X)                                                                   \
    X("baseline", BASELINE)                                                                        \
    X("ascending", BASELINE)                                                                       \
    X("themis", THEMIS)                                                                            \
    X("offlineGreedy", THEMIS)                                                                     \
    X("offlineGreedyFlex", FLEX)                                                                   \
    X("roundRobin", ROUND_ROBIN)
#define NADI_INTER_WORD(word, id) word,
#define NADI_WORDS_OF_INTER       NADI_INTER_SCHEDULERS(NADI_INTER_WORD)
#define NADI_INTER_DEFAULT        "baseline"

/* Which of the chunks that wait for a dimension is next: X(word, enumerator). */
#define NADI_INTRA_SCHEDULERS(X)                                                                   \
    X("FIFO", FIFO)                                                                                \
    X("SCF", SMALLEST)                                                                             \
    X("smallestFirst", SMALLEST)                                                                   \
    X("LRF", LESS_REMAINING)                                                                       \
    X("lessRemainingPhaseFirst", LESS_REMAINING)
#define NADI_INTRA_WORD(word, id) word,
#define NADI_WORDS_OF_INTRA       NADI_INTRA_SCHEDULERS(NADI_INTRA_WORD)
#define NADI_INTRA_DEFAULT        "FIFO"

/* What a dimension runs where nobody says. */
#define NADI_ALGORITHM_DEFAULT       "ring"
#define NADI_ALGORITHM_FULLY_DEFAULT "direct" /* a fully connected one */

#endif
