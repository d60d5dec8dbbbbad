/* version.h - which Strata this is.
 *
 * Invariant: the program, the library and its pkg-config file tell this version. */
#ifndef STRATA_VERSION_H
#define STRATA_VERSION_H

#define STRATA_VERSION "0.1.0"

#endif
