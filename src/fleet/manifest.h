/* manifest: the traces of a workload manifest for tools that look at them or change them one by
 * one, and the manifest of what they became. */
#ifndef NADI_FLEET_MANIFEST_H
#define NADI_FLEET_MANIFEST_H

#include "fleet/source.h"

/* The distinct files that a manifest lists, in its order; ranks[i] is i. What else the manifest
 * says is not looked at. False with an error. */
bool nadi_source_manifest(struct nadi_trace_source *s, const char *path,
                          struct nadi_diags *diags) NADI_MUST_USE;

/* PREFIX.yml: the manifest of the source, whose trace i is PREFIX.<i>.et now. False with an
 * error. */
bool nadi_source_manifest_write(const struct nadi_trace_source *s, const char *prefix,
                                struct nadi_diags *diags) NADI_MUST_USE;

#endif
