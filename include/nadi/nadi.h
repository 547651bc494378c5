/* nadi: simulate distributed training of machine-learning models. The public C interface. */
#ifndef NADI_NADI_H
#define NADI_NADI_H

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
const char *nadi_version(void);

#ifdef __cplusplus
}
#endif
#endif
