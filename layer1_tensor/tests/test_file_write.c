/* files appear whole or not at all; anything but a file is left alone */
#include "check.h"
#include "file_same.h"
#include "scratch_folder.h"
#include "tensor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static Fault fault;

static int enter(void **state) {
    return make_folder(state) == 0 && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state) { return chdir("/") == 0 ? remove_folder(state) : -1; }

static size_t files_here(void) {
    DIR *here = opendir(".");
    size_t n = 0;
    while (readdir(here)) n++;
    closedir(here);
    return n - 2;
}

static void holds(const char *path, const char *want) {
    FileMap map;
    if (!file_open(&map, path, &fault)) fail_msg("%s", fault.text);
    assert_int_equal(map.size, strlen(want));
    assert_memory_equal(map.data, want, map.size);
    file_close(&map);
}

static mode_t mode_of(const char *path) {
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode;
}

static void refuses(const char *path, const char *why) {
    assert_false(file_write(path, "x", 1, &fault));
    assert_contains(fault.text, why);
    assert_false(file_writable(path, &fault));
}

static void what_is_no_file_is_refused(void **state) {
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(s, (void *)&address, sizeof address), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(symlink("pipe", "to_pipe"), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    size_t before = files_here();
    refuses("folder", "is a directory");
    refuses("pipe", "is a pipe");
    refuses("to_pipe", "is a pipe");
    refuses("socket", "is a socket");
    refuses("dangling", "No such file");
    refuses("none/file", "No such file");
    refuses("none/", "No such file");
    refuses("", "empty file name");
    refuses("-", "give /dev/stdout");
    assert_true(S_ISSOCK(mode_of("socket")) && S_ISFIFO(mode_of("pipe")) &&
                S_ISLNK(mode_of("dangling")));
    assert_int_equal(files_here(), before);
    close(s);
}

/* A device of our own, which takes nothing: only root may make one. */
static void a_device_stays_a_device(void **state) {
    (void)state;
    if (mknod("device", S_IFCHR | 0600, (dev_t)((1 << 8) | 7)) != 0) skip();
    refuses("device", "is a device");
    assert_true(S_ISCHR(mode_of("device")));
    FileOut out;
    if (!file_begin(&out, "device", &fault)) skip(); /* a folder mounted without devices */
    fputs("a table", out.stream);
    assert_false(file_end(&out, &fault));
    assert_contains(fault.text, "No space left");
    assert_true(S_ISCHR(mode_of("device")));
    assert_int_equal(mknod("disk", S_IFBLK | 0600, (dev_t)0), 0);
    refuses("disk", "is a device");
    assert_int_equal(mknod("nothing", S_IFCHR | 0600, (dev_t)((240 << 8) | 240)), 0);
    assert_false(file_begin(&out, "nothing", &fault)); /* no driver */
    assert_contains(fault.text, "nothing cannot be written");
}

static void a_pipe_gets_what_is_written(void **state) {
    (void)state;
    char text[10] = "";
    assert_int_equal(mkfifo("reader", 0600), 0);
    int reader = open("reader", O_RDONLY | O_NONBLOCK);
    FileOut out;
    assert_true(file_begin(&out, "reader", &fault));
    fputs("a table", out.stream);
    assert_true(file_end(&out, &fault) && file_end(&out, &fault)); /* twice: nothing to do */
    assert_int_equal(read(reader, text, sizeof text), 7);
    assert_string_equal(text, "a table");
    close(reader);
}

/* The rights of a user who is not root; files of others, in a folder for all. */
static void rights_are_those_of_the_user(void **state) {
    (void)state;
    if (geteuid() != 0) skip();
    assert_true(file_write("locked", "old", 3, &fault) &&
                file_write("foreign", "old", 3, &fault));
    assert_true(chmod("locked", 0444) == 0 && mkdir("shut", 0555) == 0 &&
                chown("foreign", 1234, 1234) == 0 && chmod("foreign", 0640) == 0);
    assert_true(file_write("foreign", "new", 3, &fault)); /* and stays foreign */
    struct stat info;
    assert_true(stat("foreign", &info) == 0 && info.st_uid == 1234);
    assert_true(mkdir("open", 0777) == 0 && chmod("open", 0777) == 0 && chmod(".", 0777) == 0);
    assert_true(file_write("open/lent", "old", 3, &fault) && chmod("open/lent", 0666) == 0);
    /* access() asks for the real user, a new file belongs to the effective one */
    assert_int_equal(setresuid(65534, 0, 0), 0);
    refuses("locked", "Permission denied");
    refuses("shut/new", "Permission denied");
    assert_int_equal(setresuid(65534, 65534, 0), 0);
    bool written = file_write("open/lent", "new", 3, &fault);
    assert_int_equal(setresuid(0, 0, 0), 0);
    assert_true(written);
    assert_true(stat("open/lent", &info) == 0 && info.st_uid == 65534);
    holds("locked", "old");
}

static void parts_are_counted_and_dropped(void **state) {
    (void)state;
    enum { MANY = 9 };
    FileOut out[MANY];
    char path[8];
    size_t before = files_here();
    for (int i = 0; i < MANY; i++) { /* one more than are remembered */
        snprintf(path, sizeof path, "part%d", i);
        assert_true(file_begin(&out[i], path, &fault));
    }
    file_drop_all(); /* as at the end of a program */
    assert_int_equal(files_here(), before + 1);
    for (int i = 0; i < MANY; i++) assert_int_equal(file_end(&out[i], &fault), i == MANY - 1);
    assert_int_equal(files_here(), before + 1);
}

/* What is in the way of the part, or of the file when the part is whole. */
static void folders_in_the_way_are_left(void **state) {
    (void)state;
    FileOut out;
    assert_int_equal(mkdir("first.strata-part", 0700), 0);
    assert_false(file_write("first", "x", 1, &fault));
    assert_contains(fault.text, "first cannot be written: File exists");
    assert_true(file_begin(&out, "second", &fault));
    assert_int_equal(mkdir("second", 0700), 0);
    assert_false(file_end(&out, &fault));
    assert_contains(fault.text, "Is a directory");
    assert_true(S_ISDIR(mode_of("first.strata-part")) && S_ISDIR(mode_of("second")));
}

static void links_are_followed_and_permissions_stay(void **state) {
    (void)state;
    assert_true(file_write("target", "old", 3, &fault));
    assert_int_equal(chmod("target", 0640), 0);
    assert_int_equal(symlink("target", "link"), 0);
    assert_true(file_write("link", "new", 3, &fault));
    assert_true(S_ISLNK(mode_of("link")));
    holds("target", "new");
    assert_int_equal(mode_of("target") & 0777, 0640);
    mode_t mask = umask(027);
    assert_true(file_write("fresh", "x", 1, &fault));
    umask(mask);
    assert_int_equal(mode_of("fresh") & 0777, 0640);
    if (geteuid() == 0) return; /* may write to everything */
    assert_int_equal(chmod("target", 0440), 0);
    refuses("target", "Permission denied");
    holds("target", "new");
}

static void one_file_has_many_paths(void **state) {
    (void)state;
    assert_true(file_write("one", "1", 1, &fault) && file_write("two", "2", 1, &fault));
    assert_int_equal(link("one", "hard"), 0);
    assert_int_equal(symlink("one", "soft"), 0);
    assert_true(file_same("one", "one") && file_same("one", "./one") &&
                file_same("soft", "hard"));
    assert_false(file_same("one", "two") || file_same("one", "unborn"));
    assert_true(file_same("unborn", "./unborn"));
    assert_false(file_same("unborn", "other") || file_same("one", "/dev/null"));
    assert_false(file_same("none/a", "other") || file_same("other", "none/a") ||
                 file_same("", "other"));
    refuses("one/more", "Not a directory");
}

static void a_part_is_never_seen(void **state) {
    (void)state;
    FileOut out, other;
    assert_true(file_write("whole", "old", 3, &fault));
    size_t before = files_here();
    assert_true(file_begin(&out, "whole", &fault));
    fputs("new and longer", out.stream), fflush(out.stream);
    holds("whole", "old");
    file_drop(&out), file_drop(&out);
    holds("whole", "old");
    assert_int_equal(files_here(), before);
    /* the second of two writers wins, the first one gets a fault */
    assert_true(file_begin(&out, "whole", &fault) && file_begin(&other, "whole", &fault));
    fputs("first", out.stream), fputs("second", other.stream);
    assert_false(file_end(&out, &fault));
    assert_contains(fault.text, "another program");
    assert_true(file_end(&other, &fault));
    holds("whole", "second");
    assert_int_equal(files_here(), before);
}

/* A limit on the size of files stands for a full disk. */
static void a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    static char large[1 << 16];
    assert_true(file_write("full", "old", 3, &fault));
    size_t before = files_here();
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, RLIM_INFINITY});
        bool whole = file_write("full", large, sizeof large, &fault);
        FileOut out;
        bool parts = file_begin(&out, "full", &fault);
        fwrite(large, 1, 2000, out.stream);
        parts = parts && file_end(&out, &fault);
        bool unread = file_begin(&out, "full", &fault); /* an error before the end */
        setvbuf(out.stream, NULL, _IONBF, 0);
        fwrite(large, 1, 2000, out.stream);
        parts = parts || (unread && file_end(&out, &fault));
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
        exit(whole || parts || !strstr(fault.text, strerror(EFBIG)));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    holds("full", "old");
    assert_int_equal(files_here(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(what_is_no_file_is_refused),
                                       TEST(a_device_stays_a_device),
                                       TEST(links_are_followed_and_permissions_stay),
                                       TEST(one_file_has_many_paths),
                                       TEST(a_part_is_never_seen),
                                       TEST(a_pipe_gets_what_is_written),
                                       TEST(parts_are_counted_and_dropped),
                                       TEST(folders_in_the_way_are_left),
                                       TEST(rights_are_those_of_the_user),
                                       TEST(a_full_disk_leaves_the_old_file)};
    return cmocka_run_group_tests(tests, enter, leave);
}
