/* check.h - what every test file begins with: cmocka, and comparisons that NaN cannot pass. */
#ifndef STRATA_CHECK_H
#define STRATA_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* |got - want| <= bound, and false for NaN */
#define assert_near(got, want, bound)                                                  \
    do {                                                                               \
        double got_ = (double)(got), want_ = (double)(want), bound_ = (double)(bound); \
        if (!(fabs(got_ - want_) <= bound_))                                           \
            fail_msg("%s: got %.9g, want %.9g +- %.3g", #got, got_, want_, bound_);    \
    } while (0)

#define assert_contains(text, part)                                              \
    do {                                                                         \
        if (!strstr(text, part)) fail_msg("'%s' does not say '%s'", text, part); \
    } while (0)

/* Runs in a child; its exit status, and in text what it said on standard error. */
static inline int run_apart(void (*run)(void), char *text, size_t size) {
    FILE *said = tmpfile();
    pid_t child = fork();
    assert_true(said && child >= 0);
    if (child == 0) {
        dup2(fileno(said), STDERR_FILENO);
        run();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    rewind(said);
    text[fread(text, 1, size - 1, said)] = 0;
    fclose(said);
    return status;
}

/* A broken contract (REQUIRE) is said and ends the process: `broken` runs in a child. */
static inline void check_abort(void (*broken)(void), const char *says) {
    static char text[1 << 16]; /* a thread sanitizer after a fork may say much before */
    int status = run_apart(broken, text, sizeof text);
    assert_contains(text, says);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* The path of a file that no other process has; the test removes it. */
enum { CHECK_PATH = 64 };
static inline const char *check_path(char path[CHECK_PATH], const char *name) {
    snprintf(path, CHECK_PATH, "/tmp/strata-%ld-%s", (long)getpid(), name);
    return path;
}

/* Numbers that look like weights, and now and then one that does not. */
static inline float check_noise(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    float value = (float)((double)(*state >> 11) * 0x1p-53 - 0.5);
    return (*state >> 3) % 97 == 0 ? value * 100 : value;
}

#define RUN(...)                                          \
    int main(void) {                                      \
        const struct CMUnitTest tests[] = {__VA_ARGS__};  \
        return cmocka_run_group_tests(tests, NULL, NULL); \
    }
#define TEST(name) cmocka_unit_test(name)

#endif
