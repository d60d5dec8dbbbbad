/* file_map.c - see file_map.h. */
#include "file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map_descriptor(FileMap *map, int descriptor, const char *path, Fault *fault) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) return fault_set(fault, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) return fault_set(fault, "%s is a directory: give a file", path);
    if (S_ISFIFO(info.st_mode))
        return fault_set(fault, "%s is a pipe, which cannot be mapped: give a file", path);
    if (!S_ISREG(info.st_mode))
        return fault_set(fault, "%s is a device, which has no end: give a file", path);
    if (info.st_size <= 0)
        return fault_set(fault, "%s is empty: give a file with something in it", path);
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED)
        return fault_set(fault, "%s cannot be mapped: %s", path, strerror(errno));
    *map = (FileMap){data, (size_t)info.st_size};
    return true;
}

bool file_open(FileMap *map, const char *path, Fault *fault) {
    *map = (FileMap){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* do not block on a pipe */
    if (descriptor < 0)
        return fault_set(fault, "%s cannot be opened: %s",
                         *path ? path : "a file without a name", strerror(errno));
    bool ok = map_descriptor(map, descriptor, path, fault);
    close(descriptor);
    return ok;
}

void file_close(FileMap *map) {
    if (map->data) munmap((void *)map->data, map->size);
    *map = (FileMap){0};
}
