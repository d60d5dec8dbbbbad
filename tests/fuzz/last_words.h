/* last_words.h - a fuzzer under AddressSanitizer and UndefinedBehaviorSanitizer, with a lid on memory: whatever ends it also prints
 * which case it was. */
#ifndef STRATA_LAST_WORDS_H
#define STRATA_LAST_WORDS_H

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void) {
    return "abort_on_error=1:handle_abort=0:allocator_may_return_null=1:"
           "max_allocation_size_mb=64:hard_rss_limit_mb=1000:detect_leaks=1";
}
const char *__ubsan_default_options(void) { return "abort_on_error=1:print_stacktrace=1"; }

static char last_words[100];

static inline void say_last_words(int signal_number) {
    (void)signal_number;
    ssize_t n = write(2, last_words, strlen(last_words));
    (void)n;
}

#endif
