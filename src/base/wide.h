/* wide: functions that are also compiled for wider registers, between which the machine chooses at
 * the start. Products and sums stay apart (-ffp-contract=off), so the bits are those of any other
 * machine. Not in sanitized builds, whose checks would run before they are set up. */
#ifndef NADI_BASE_WIDE_H
#define NADI_BASE_WIDE_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define NADI_WIDE __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define NADI_WIDE
#endif

#endif
