/* heap.h - how much of the heap is in use: finds leaks. */
#ifndef STRATA_GRADE_HEAP_H
#define STRATA_GRADE_HEAP_H

#include "grader.h"

/* Bytes of the heap in use, where the C library tells. */
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define IN_USE() (mallinfo2().uordblks + mallinfo2().hblkhd)
#endif
#endif
#ifndef IN_USE
#define IN_USE() ((size_t)0)
#endif

#endif
