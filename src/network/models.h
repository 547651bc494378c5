/* models: the network models, a line each, in the order of help texts.
 *
 * From the line X(name, what its messages do) follow the declaration, the table's row and the words
 * of command line and messages; `nadi_network_<name>`, in a file of its own, says the rest. To add
 * a model: that file and a line here. */
#ifndef NADI_NETWORK_MODELS_H
#define NADI_NETWORK_MODELS_H

#define NADI_NETWORK_PACKET_MODELS(X, between) X(packet, "go as RoCE packets")

#define NADI_NETWORK_LINK_MODELS(X, between)                                                       \
    X(aware, "queue whole at every link, over a switch for twice the time of hardware")            \
    between X(flow, "share links fairly") between NADI_NETWORK_PACKET_MODELS(X, between)           \
    between X(flit, "go flit by flit through routers with virtual channels") between X(            \
        fabric, "take Fred switches one configuration after the other") between                    \
    X(loadstore, "are loads and stores of at most 16 devices, line by line")

#define NADI_NETWORK_MODELS(X, between)                                                            \
    X(unaware, "pass each other") between NADI_NETWORK_LINK_MODELS(X, between)

#define NADI_NETWORK_NAME_OF(name, does) #name
#define NADI_NETWORK_LINE_OF(name, does) does " (" #name ")"

/* "unaware|aware|...": of all models, of those that see links, of those that know packets. */
#define NADI_NETWORK_WORDS        NADI_NETWORK_MODELS(NADI_NETWORK_NAME_OF, "|")
#define NADI_NETWORK_LINK_WORDS   NADI_NETWORK_LINK_MODELS(NADI_NETWORK_NAME_OF, "|")
#define NADI_NETWORK_PACKET_WORDS NADI_NETWORK_PACKET_MODELS(NADI_NETWORK_NAME_OF, "|")
/* The same for tables of words: each with a comma behind it. */
#define NADI_NETWORK_ITEM_OF(name, does) #name,
#define NADI_NETWORK_ITEMS               NADI_NETWORK_MODELS(NADI_NETWORK_ITEM_OF, )
#define NADI_NETWORK_LINK_ITEMS          NADI_NETWORK_LINK_MODELS(NADI_NETWORK_ITEM_OF, )
#define NADI_NETWORK_PACKET_ITEMS        NADI_NETWORK_PACKET_MODELS(NADI_NETWORK_ITEM_OF, )
/* "unaware, aware, ...", for messages. */
#define NADI_NETWORK_LIST      NADI_NETWORK_MODELS(NADI_NETWORK_NAME_OF, ", ")
#define NADI_NETWORK_LINK_LIST NADI_NETWORK_LINK_MODELS(NADI_NETWORK_NAME_OF, ", ")
/* "pass each other (unaware); ...", for help. */
#define NADI_NETWORK_HELP NADI_NETWORK_MODELS(NADI_NETWORK_LINE_OF, "; ")

#define NADI_NETWORK_DEFAULT "unaware" /* nadi_network_default, */
#define NADI_NETWORK_SHARING "flow"    /* nadi_network_sharing */
#define NADI_NETWORK_AUTO    NADI_NETWORK_DEFAULT " where that is exact, else " NADI_NETWORK_SHARING

/* Those that an option of their own is about. */
#define NADI_NETWORK_FLITS "flit"
#define NADI_NETWORK_LOADS "loadstore"
#define NADI_NETWORK_FRED  "fabric"

/* What flows without a workload go by where nobody says. */
#define NADI_NETWORK_FOR_FLOWS NADI_NETWORK_PACKET_WORDS

#endif
