/* skip: a test that cannot do its part here says so, in the form that tools/test-counts counts.
 * After cmocka.h. */
#ifndef NADI_SUPPORT_SKIP_H
#define NADI_SUPPORT_SKIP_H

/* Ends the test. The reason is one line without an end: "no traces at ../shared/x". */
#define skip_because(...)                                                                          \
    do {                                                                                           \
        print_message("\nskipped: ");                                                              \
        print_message(__VA_ARGS__);                                                                \
        print_message("\n");                                                                       \
        skip();                                                                                    \
    } while (0)

#endif
