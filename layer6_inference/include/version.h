/* version.h - which Strata this is. */
#ifndef STRATA_VERSION_H
#define STRATA_VERSION_H

/* "MAJOR.MINOR.PATCH".  The text is in version.c alone, so that a new version compiles one
 * file; library/version.sh reads it there for strata.h, strata.pc and the packages. */
const char *strata_version(void);

#endif
