/* version.c - the version of the program, the library and the packages. */
#include "version.h"

const char *strata_version(void) { return "0.1.0"; }
