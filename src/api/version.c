#include <nadi/nadi.h>

const char *nadi_version(void)
{
    return NADI_VERSION;
}
