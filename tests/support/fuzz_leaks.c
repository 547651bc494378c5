/* fuzz_leaks: what the leak checker shall not report of a fuzz target; linked into each of them.
 *
 * libfyaml 0.7.12 loses what it has made of a scalar in single quotes with a long run of ''. The
 * unit tests of doc run without this, so that leaks of ours are seen there. */
const char *__lsan_default_suppressions(void); /* NOLINT: the sanitizer's own name */
const char *__lsan_default_suppressions(void)  /* NOLINT */
{
    return "leak:libfyaml.so\n";
}
