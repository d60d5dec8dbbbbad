#!/bin/sh
# The version, as the one file that holds it says: what scripts and packages print.
sed -n 's/^const char \*strata_version(void) { return "\(.*\)"; }$/\1/p' "$(dirname "$0")/../layer6_inference/src/version.c"
