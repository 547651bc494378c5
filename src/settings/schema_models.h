/* schema_models: keys of single network models, in every kind of network file. Private to
 * schema. */
#ifndef NADI_SETTINGS_SCHEMA_MODELS_H
#define NADI_SETTINGS_SCHEMA_MODELS_H

#define NADI_NETWORK_MODEL_KEYS                                                                    \
    {.name = "flow-startup",                                                                       \
     .type = NADI_TYPE_NUMBER,                                                                     \
     .dimension = NADI_DIMENSION_TIME,                                                             \
     .unit = "ns",                                                                                 \
     .unit_factor = 1,                                                                             \
     .preset = "0",                                                                                \
     .max = 1e15,                                                                                  \
     .doc = "Model `flow`: delay of each message before its first byte leaves."},                  \
        {.name = "flow-overhead",                                                                  \
         .type = NADI_TYPE_NUMBER,                                                                 \
         .dimension = NADI_DIMENSION_TIME,                                                         \
         .unit = "ns",                                                                             \
         .unit_factor = 1,                                                                         \
         .preset = "0",                                                                            \
         .max = 1e15,                                                                              \
         .doc = "Model `flow`: time that the sender needs for each message; it prepares one at a " \
                "time."},                                                                          \
        {.name = "flow-window",                                                                    \
         .type = NADI_TYPE_NUMBER,                                                                 \
         .dimension = NADI_DIMENSION_BYTES,                                                        \
         .unit = "B",                                                                              \
         .unit_factor = 1,                                                                         \
         .preset = "0",                                                                            \
         .max = 1e15,                                                                              \
         .doc = "Model `flow`: bytes that a message may have in flight, which limits its rate to " \
                "window / round trip of the latencies; 0: unbounded."},                            \
        {.name = "flow-packet",                                                                    \
         .type = NADI_TYPE_NUMBER,                                                                 \
         .dimension = NADI_DIMENSION_BYTES,                                                        \
         .unit = "B",                                                                              \
         .unit_factor = 1,                                                                         \
         .preset = "0",                                                                            \
         .max = 1e15,                                                                              \
         .doc = "Model `flow`: payload of a packet. Each adds 62 B of headers, and a message "     \
                "waits at each hop for a packet, but at the slowest. 0: neither."},                \
        {.name = "in-flight",                                                                      \
         .type = NADI_TYPE_INTEGER,                                                                \
         .absent = "1; in the packet model's exact mode 0",                                        \
         .max = INT32_MAX,                                                                         \
         .doc = "Models `flow` and `packet`: messages in flight on the connection of a pair of "   \
                "ranks and process group; the others wait in order, as on a queue pair. 0: any "   \
                "number; they share the links."},                                                  \
        {.name = "flow-in-flight",                                                                 \
         .type = NADI_TYPE_INTEGER,                                                                \
         .absent = "as `in-flight` says",                                                          \
         .max = INT32_MAX,                                                                         \
         .doc = "The former name of `in-flight`."},                                                \
    {                                                                                              \
        .name = "packet", .type = NADI_TYPE_TEXT, .absent = "all its keys at their defaults",      \
        .doc = "Packet model: path of its file, or of a config.txt of the HPCC simulator."         \
    }

#endif
