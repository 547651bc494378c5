/* cases: how many random cases a property draws. Under the sanitizers, which look for other faults
 * and take several times as long, it is the first quarter; the build that is shipped draws all. */
#ifndef TESTS_SUPPORT_CASES_H
#define TESTS_SUPPORT_CASES_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CASES_OF(all) ((all) / 4)
#else
#define CASES_OF(all) (all)
#endif

#endif
