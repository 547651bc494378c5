/* schema_collective: the keys of files of explicit algorithms, and of the list that attaches them
 * to collectives. */
#include "base/collective.h"
#include "settings/schema_more.h"

static const char *const kinds[] = {NADI_COLLECTIVE_WORDS(NADI_COMMA), NULL};

#define COUNT(called, least, most, ...)                                                            \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .min = least, .max = most, __VA_ARGS__          \
    }
#define MOST_MEMBERS (1 << 20)
#define MOST_QUEUES  (1 << 16)
#define MOST_SLOTS   (1 << 30)

static const struct nadi_setting collective_keys[] = {
    {.name = "collective",
     .type = NADI_TYPE_WORD,
     .words = kinds,
     .required = true,
     .doc = "What it does."},
    {.name = "name",
     .type = NADI_TYPE_TEXT,
     .absent = "the file's name",
     .doc = "What reports call it."},
    COUNT("members", 1, MOST_MEMBERS, .required = true, .doc = "Of the group that it runs on."),
    COUNT("blocks", 1, MOST_SLOTS, .required = true,
          .doc = "Equal blocks of the whole buffer, numbered in its order. All-gather, gather, "
                 "scatter and reduce-scatter: a multiple of the members, equally many for each in "
                 "turn. All-to-all: a multiple of members times members, from member s to member d "
                 "those at (s * members + d)."),
    COUNT("scratch", 0, MOST_SLOTS, .preset = "0",
          .doc = "Slots of each member beyond those of the buffer (and of the results), each the "
                 "size of a block."),
    {.name = "separate-results",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: results are in separate slots after those of the buffer: block b in slot blocks + "
            "b. 0: block b ends in slot b, where it began."},
    {.name = "swapped-results",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: an all-to-all in one buffer: the blocks from member s to member d end in the slots "
            "in which those from d to s began."},
    {.name = "sends-ahead",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: a step that sends and receives ends when what it receives has come; what it sends "
            "goes on by itself, as in nadi's rings and in libraries that send into buffers. 0: it "
            "also waits until that is delivered, as every step does that only sends."},
    COUNT("root", 0, MOST_MEMBERS - 1, .preset = "0", .doc = "Of rooted collectives: a member."),
    {.name = "steps",
     .type = NADI_TYPE_MAP,
     .list = true,
     .absent = "nothing is done",
     .doc = "Each entry is a map: see [steps](input-collective-steps.md). Steps of a queue are "
            "in order."},
};

const struct nadi_schema nadi_collective_schema = {
    .name = "collective",
    .title = "collective file",
    .option = "custom-collectives",
    .syntax = NADI_DOC_YAML,
    .doc = "An algorithm of a collective, step by step. `nadi collective check` proves that it "
           "implements the collective; a system file assigns it to collectives.",
    .example = "collective: all-gather\n"
               "members: 3\n"
               "blocks: 3\n"
               "steps:\n"
               "  - {member: 0, to: 1, from: 2, send: 0}\n"
               "  - {member: 0, to: 1, from: 2, send: 2}\n"
               "  - {member: 1, to: 2, from: 0, send: 1}\n"
               "  - {member: 1, to: 2, from: 0, send: 0}\n"
               "  - {member: 2, to: 0, from: 1, send: 2}\n"
               "  - {member: 2, to: 0, from: 1, send: 1}\n",
    KEYS(collective_keys),
};

static const struct nadi_setting attached_keys[] = {
    {.name = "file",
     .type = NADI_TYPE_TEXT,
     .required = true,
     .doc = "An algorithm: [own form](input-collective.md), MSCCL XML, an MSCCL++ execution plan, "
            "TACOS' CSV; or the path prefix of Chakra traces. Relative to the current folder, or "
            "else to that of the system file."},
    {.name = "kind",
     .type = NADI_TYPE_WORD,
     .words = kinds,
     .absent = "what the file says; of Chakra traces, which do not say, it is needed",
     .doc = "The collective that runs it."},
    {.name = "trace-size",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .min = 1,
     .max = 9e15,
     .absent = "messages are as large as the traces say",
     .doc =
         "Of Chakra traces: comm_size of the collective that they were made for; for another size "
         "messages are in proportion."},
    {.name = "group",
     .type = NADI_TYPE_TEXT,
     .absent = "all groups with as many members as the file has",
     .doc = "Name of the process group, or of a family of groups, that runs it."},
    {.name = "min-size",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .max = 9e15,
     .absent = "what the file says, or any",
     .doc = "Smallest collective (comm_size of the node) that runs it."},
    {.name = "max-size",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .max = 9e15,
     .absent = "what the file says, or any",
     .doc = "Largest one."},
};

const struct nadi_schema nadi_attached_schema = {
    .name = "system-custom-collectives",
    .title = "entry of 'custom-collectives' in a system file",
    .option = "--system",
    .syntax = NADI_DOC_JSON,
    .doc = "A collective that runs an algorithm from a file. The first matching entry applies; if "
           "none matches, the algorithm lists do.",
    .example = "{\n"
               "  \"file\": \"algorithms/allpairs.xml\",\n"
               "  \"group\": \"tp\",\n"
               "  \"max-size\": \"1MB\"\n"
               "}\n",
    KEYS(attached_keys),
};

#define SLOTS(called, otherwise, text)                                                             \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_TEXT, .absent = otherwise, .doc = text                   \
    }

static const struct nadi_setting step_keys[] = {
    COUNT("member", 0, MOST_MEMBERS - 1, .required = true, .doc = "Who does it."),
    COUNT("lane", 0, MOST_QUEUES - 1, .preset = "0",
          .doc = "Queue of the member. Steps of a queue run one after the other; queues of a "
                 "member run concurrently."),
    COUNT("to", 0, MOST_MEMBERS - 1, .absent = "it sends nothing",
          .doc = "Member that it sends to."),
    COUNT("to-lane", 0, MOST_QUEUES - 1, .absent = "the same lane",
          .doc = "Queue of the receiver that receives the message."),
    COUNT("from", 0, MOST_MEMBERS - 1, .absent = "it receives nothing",
          .doc = "Member that it receives from: the next message of that member on this queue."),
    SLOTS("send", "an empty message", "Slots that it sends: `3`, or `\"0-3,7\"`."),
    SLOTS(
        "local", "it works on nothing of its own",
        "Slots that it copies or adds into other slots of the member; instead of `to` and `from`."),
    SLOTS("into", "the slots that it comes from",
          "Slots for the received data, or for the result of `local`; as many as are received."),
    {.name = "add",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: received data is added to the slot; 0: it replaces the slot."},
    COUNT("wait-steps", 0, INT32_MAX, .preset = "0",
          .doc = "The step begins when this many steps of `wait-lane` have ended."),
    COUNT("wait-lane", 0, MOST_QUEUES - 1, .absent = "all lanes of the member",
          .doc = "Of the same member."),
};

const struct nadi_schema nadi_collective_step_schema = {
    .name = "collective-steps",
    .title = "entry of 'steps' in a collective file",
    .option = "custom-collectives",
    .syntax = NADI_DOC_YAML,
    .doc = "A step ends when the data that it sends has been delivered and the data that it "
           "receives has arrived and, if it is added, has been reduced.",
    .example = "member: 0\n"
               "lane: 1\n"
               "to: 3\n"
               "send: \"0-3,7\"\n"
               "from: 2\n"
               "into: \"4-8\"\n"
               "add: 1\n"
               "wait-lane: 0\n"
               "wait-steps: 2\n",
    KEYS(step_keys),
};
