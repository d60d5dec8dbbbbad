/* calls.h - counts the calls of what is compiled with -finstrument-functions, see calls.c. */
#ifndef STRATA_CALLS_H
#define STRATA_CALLS_H

/* What the compiler inserts where a function begins and ends. */
void __cyg_profile_func_enter(void *function, void *from);
void __cyg_profile_func_exit(void *function, void *from);

/* Does nothing: a place whose address is known in the file and in memory. */
void calls_anchor(void);

#endif
