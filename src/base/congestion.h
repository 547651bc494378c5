/* congestion: the congestion controls of the packet model, X(file's name, word), a line each. The
 * words of its keys, the declarations and the table (network/packet/cc.h) follow. */
#ifndef NADI_BASE_CONGESTION_H
#define NADI_BASE_CONGESTION_H

#define NADI_CONGESTION_CONTROLS(X)                                                                \
    X(none, "none")                                                                                \
    X(dcqcn, "dcqcn")                                                                              \
    X(hpcc, "hpcc")                                                                                \
    X(pint, "hpcc-pint")                                                                           \
    X(timely, "timely")                                                                            \
    X(dctcp, "dctcp")                                                                              \
    X(swift, "swift")                                                                              \
    X(window, "window")                                                                            \
    X(ndp, "ndp")                                                                                  \
    X(eqds, "eqds")

#define NADI_CONGESTION_WORD(id, word) word,
#define NADI_CONGESTION_WORDS          NADI_CONGESTION_CONTROLS(NADI_CONGESTION_WORD)

#endif
