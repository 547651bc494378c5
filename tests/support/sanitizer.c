/* What every sanitized program starts with; a program may have its own. Short call stacks of
 * allocations take a third less time. The last 16 MB that were freed are watched, not 256 MB, each
 * page of which is taken from the system: a quarter less. */
const char *__asan_default_options(void); /* NOLINT: the sanitizer's own name */
__attribute__((weak)) const char *__asan_default_options(void) /* NOLINT */
{
    return "handle_sigill=1:malloc_context_size=6:quarantine_size_mb=16";
}
