/* fail_disk.c - system calls to the disk that fail; see fail.c.  Linux, x86-64 and AArch64. */
#define _GNU_SOURCE
#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* A call with this sixth argument, which none of them has, is ours: the filter lets it pass. */
enum { OURS = 0x5742a1f3 };

static const struct {
    int number;
    const char *name;
    int error;
} watched[] = {
#ifdef SYS_open
    {SYS_open, "open", EMFILE},       {SYS_rename, "rename", EIO},
#endif
    {SYS_openat, "open", EMFILE},     {SYS_renameat, "rename", EIO},
    {SYS_renameat2, "rename", EIO},   {SYS_read, "read", EIO},
    {SYS_pread64, "read", EIO},       {SYS_write, "write", ENOSPC},
    {SYS_pwrite64, "write", ENOSPC},  {SYS_writev, "write", ENOSPC},
    {SYS_fsync, "fsync", EIO},        {SYS_fdatasync, "fsync", EIO},
    {SYS_ftruncate, "truncate", EIO}, {SYS_close, "close", EIO},
};
enum { WATCHED = sizeof watched / sizeof *watched };

/* Files open for writing, by descriptors of our own: what of them is on the disk. */
enum { FILES = 64 };
static struct {
    int fd;
    off_t synced;
} files[FILES];
static int n_files;

/* A file in the runner's folder; without parts: one that the program reads. */
static bool is_ours(int fd, bool parts, struct stat *info) {
    char link[64], path[512] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    const size_t folder = strlen(fail_state->folder);
    return folder && n > 0 && (size_t)n > folder && !memcmp(path, fail_state->folder, folder) &&
           (parts || !strstr(path, ".strata-part")) && fstat(fd, info) == 0 &&
           S_ISREG(info->st_mode);
}

static void remember(int fd) {
    struct stat info;
    if (n_files < FILES && is_ours(fd, true, &info)) {
        files[n_files].fd = fcntl(fd, F_DUPFD_CLOEXEC, 300);
        files[n_files++].synced = info.st_size;
    }
}

static void remember_sync(int fd) {
    struct stat one, other;
    for (int i = 0; i < n_files; i++)
        if (fstat(fd, &one) == 0 && fstat(files[i].fd, &other) == 0 &&
            one.st_ino == other.st_ino)
            files[i].synced = one.st_size;
}

static long ours(long number, const long *a) {
    long result = syscall(number, a[0], a[1], a[2], a[3], a[4], OURS);
    return result < 0 ? -errno : result;
}

static void cut_power(bool torn) {
    for (int i = 0; i < n_files; i++) {
        struct stat info;
        if (fstat(files[i].fd, &info) != 0 || info.st_size <= files[i].synced) continue;
        long cut[6] = {files[i].fd, files[i].synced};
        if (torn) cut[1] += (info.st_size - files[i].synced) / 2;
        ours(SYS_ftruncate, cut);
    }
    _exit(99);
}

bool fail_mapping(int fd) {
    struct stat info;
    if (!fail_state || fail_state->kind == FAIL_MEMORY || !fail_now("mmap")) return false;
    if (fail_state->how == FAIL_CUT || fail_state->how == FAIL_TORN)
        cut_power(fail_state->how == FAIL_TORN);
    if (fail_state->how == FAIL_SHRINK && is_ours(fd, false, &info)) {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (truncate(link, info.st_size / 2) == 0) return false;
    }
    errno = EIO;
    return fail_state->how == FAIL_ERROR;
}

/* The n-th: what it returns. */
static long fail(int which, long *a) {
    const bool transfer =
        !strcmp(watched[which].name, "read") ||
        (!strcmp(watched[which].name, "write") && watched[which].number != SYS_writev);
    switch (fail_state->how) {
    case FAIL_CUT: cut_power(false); break;
    case FAIL_TORN: cut_power(true); break;
    case FAIL_INTERRUPT:
        if (transfer) return -EINTR;
        break;
    case FAIL_SHORT:
        if (transfer && a[2] > 1) a[2] /= 2;
        break;
    case FAIL_ERROR:
        if (watched[which].number == SYS_close) ours(SYS_close, a);
        return -watched[which].error;
    default: break;
    }
    return ours(watched[which].number, a);
}

static long call(int number, long *a) {
    int which = 0;
    while (which < WATCHED && watched[which].number != number) which++;
    if (which == WATCHED) return -ENOSYS;
    const char *name = watched[which].name;
    /* the power may go at any call; else a message about a failure may pass */
    if (fail_state && !(!strcmp(name, "write") && a[0] == STDERR_FILENO) && fail_now(name))
        return fail(which, a);
    long result = ours(number, a);
    long flags = strcmp(name, "open") ? 0 : a[number == SYS_openat ? 2 : 1];
    if (fail_state && result >= 0 && (flags & (O_WRONLY | O_RDWR))) remember((int)result);
    if (fail_state && result == 0 && !strcmp(name, "fsync")) remember_sync((int)a[0]);
    return result;
}

static void on_call(int signal, siginfo_t *info, void *context) {
    int before = errno;
    (void)signal;
#ifdef __x86_64__
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
    r[REG_RAX] = call(info->si_syscall, a);
#else
    unsigned long long *r = ((ucontext_t *)context)->uc_mcontext.regs;
    long a[6] = {(long)r[0], (long)r[1], (long)r[2], (long)r[3], (long)r[4], (long)r[5]};
    r[0] = (unsigned long long)call(info->si_syscall, a);
#endif
    errno = before;
}

void fail_watch_disk(void) {
    struct sigaction action = {.sa_sigaction = on_call,
                               .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    sigaction(SIGSYS, &action, NULL);
    struct sock_filter filter[2 * WATCHED + 8];
    unsigned short n = 0;
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                               offsetof(struct seccomp_data, args[5]));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OURS, 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                               offsetof(struct seccomp_data, nr));
    for (int i = 0; i < WATCHED; i++) {
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                   (unsigned)watched[i].number, 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {n, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
        _exit(98);
}
