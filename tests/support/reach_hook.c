/* Which code of the library ran: for tools/mutate, whose build is compiled with
 * -fsanitize-coverage=trace-pc. Each block of code calls the function below first; where it was
 * called from, from the beginning of the library, is set in the file that NADI_REACH_FILE names, a
 * byte for each byte of the library. All processes of a test share the file. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char __ehdr_start[] __attribute__((visibility("hidden"))); // set by the linker

static unsigned char *seen;
static size_t size;

__attribute__((constructor)) static void open_file(void)
{
    const char *path = getenv("NADI_REACH_FILE");
    struct stat status;
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    if (!fstat(file, &status) && status.st_size > 0) {
        void *all = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        seen = all == MAP_FAILED ? NULL : all;
        size = (size_t)status.st_size;
    }
    close(file);
}

__attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    size_t at = (uintptr_t)__builtin_return_address(0) - (uintptr_t)__ehdr_start;
    if (seen && at < size)
        seen[at] = 1;
}
