/* input.c - see input.h. */
#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *read_all(FILE *file, const char *name, size_t *size, Fault *fault) {
    enum { PIECE = 1 << 16 };
    size_t room = 0, used = 0;
    char *bytes = NULL;
    bool ok;
    errno = 0;
    for (size_t got = 1; (ok = GROW(bytes, room, used + PIECE)) && got > 0; used += got)
        got = fread(bytes + used, 1, room - 1 - used, file);
    *size = used;
    if (!ok) {
        fault_set(fault, "no memory for %.200s", name);
        free(bytes);
        bytes = NULL;
    } else if (ferror(file)) {
        fault_set(fault, "%.200s cannot be read: %s", name, strerror(errno));
        free(bytes);
        bytes = NULL;
    }
    if (bytes) bytes[used] = 0;
    return bytes;
}

char *read_standard_input(size_t *size, Fault *fault) {
    return read_all(stdin, "standard input", size, fault);
}

char *read_named(const char *path, size_t *size, Fault *fault) {
    if (strcmp(path, "-") == 0) return read_standard_input(size, fault);
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fault_set(fault, "%.200s cannot be opened: %s", path, strerror(errno)), NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISCHR(status.st_mode)) {
        fclose(file);
        return fault_set(fault, "%.200s is a device: give a file", path), NULL;
    }
    char *bytes = read_all(file, path, size, fault);
    fclose(file);
    return bytes;
}

bool read_lines(const char *path, Text *lines, size_t *count, size_t most, char **bytes,
                Fault *fault) {
    size_t size, number = 0;
    if (!(*bytes = read_named(path, &size, fault))) return false;
    for (Text rest = {*bytes, size}; rest.size;) {
        Text line = text_cut(&rest, '\n');
        number++;
        if (line.size && line.data[line.size - 1] == '\r') line.size--;
        if (!line.size)
            return fault_set(fault, "%.200s: line %zu is empty: wanted one text per line", path,
                             number);
        if (*count == most)
            return fault_set(fault, "%.200s, line %zu: more than %zu texts", path, number,
                             most);
        lines[(*count)++] = line;
    }
    return true;
}

/* A pipe is not read: it has no beginning to look at. */
static bool holds_model(const char *path) {
    struct stat status;
    char magic[4] = "";
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    bool is = file && fread(magic, 1, 4, file) == 4 && memcmp(magic, "GGUF", 4) == 0;
    if (file) fclose(file);
    return is;
}

bool output_arrived(Fault *fault) {
    const bool lost = ferror(stdout) != 0;
    return (fflush(stdout) == 0 && !lost) ||
           fault_set(fault, "cannot write standard output: it is closed or the disk is full");
}

bool table_begin(FileOut *out, const char *path, Fault *fault) {
    if (!holds_model(path)) return file_begin(out, path, fault);
    *out = (FileOut){0};
    return fault_set(fault, "%.200s is a model: give the table another name", path);
}
