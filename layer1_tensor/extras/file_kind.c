/* file_kind.c - files mistaken for models, by their first bytes.  See gguf.h. */
#include "gguf.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define ARCHIVE "unpack it, and give the GGUF file, or the folder to strata convert"
#define OLD_GGML                                                                          \
    "a GGML file from before GGUF (2023): fetch the model again as GGUF, or convert the " \
    "original with strata convert"
#define PYTORCH                                                                             \
    "a PyTorch checkpoint: make a GGUF file of the folder it lies in, with strata convert " \
    "FOLDER OUT.gguf"

typedef struct Mark {
    size_t at, size;
    const char *bytes, *kind;
} Mark;

/* The first row whose bytes match decides. */
static const Mark marks[] = {
    {0, 6, "STRATA",
     "a checkpoint of strata train, for --checkpoint and --resume: give the model that "
     "--out wrote"},
    {0, 19, "version https://git",
     "a Git LFS pointer, a few lines in place of the model: run git lfs pull in its folder, or "
     "fetch the file itself"},
    {0, 4, "lmgg", OLD_GGML},
    {0, 4, "fmgg", OLD_GGML},
    {0, 4, "tjgg", OLD_GGML},
    {0, 4, "algg", "a LoRA adapter in a format from before GGUF (2023): convert it again"},
    {0, 4, "\x89HDF",
     "an HDF5 file (Keras, .h5): wanted the model as GGUF, or as safetensors for strata "
     "convert"},
    {0, 6, "\x93NUMPY", "a NumPy array: wanted a model in GGUF format"},
    {4, 4, "TFL3",
     "a TensorFlow Lite model: wanted the model as GGUF, or as safetensors for strata convert"},
    {0, 2, "\x1f\x8b", "a gzip archive: " ARCHIVE},
    {0, 6,
     "\xfd"
     "7zXZ",
     "an xz archive: " ARCHIVE},
    {0, 4, "\x28\xb5\x2f\xfd", "a Zstandard archive: " ARCHIVE},
    {0, 3, "BZh", "a bzip2 archive: " ARCHIVE},
    {0, 6, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive: " ARCHIVE},
    {0, 4, "Rar!", "a RAR archive: " ARCHIVE},
    {257, 5, "ustar", "a tar archive: " ARCHIVE},
    {0, 4, "\x89PNG", "a picture (PNG): give a model with -m, and pictures with --image"},
    {0, 3, "\xff\xd8\xff", "a picture (JPEG): give a model with -m, and pictures with --image"},
    {0, 5, "%PDF-", "a PDF document: wanted a model in GGUF format"},
    {0, 4,
     "\x7f"
     "ELF",
     "a program (ELF): wanted a model in GGUF format"},
};

/* Does a text begin with this, ignoring case, leading white space and a byte order mark? */
static bool begins(const char *text, size_t size, const char *with) {
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;
    while (size && memchr(" \t\r\n", *text, 4)) text++, size--;
    return size >= strlen(with) && strncasecmp(text, with, strlen(with)) == 0;
}

/* Eight bytes of length (little-endian, at most 100 MB), then a JSON object. */
static bool is_safetensors(const unsigned char *bytes, size_t size) {
    uint64_t length = 0;
    if (size < 9 || bytes[8] != '{') return false;
    for (int i = 0; i < 8; i++) length |= (uint64_t)bytes[i] << (8 * i);
    return length >= 2 && length <= 100000000;
}

/* A zip archive with an entry data.pkl, usually the first; the directory at the end names all.
 * Or a bare pickle, which begins with its version (torch.save up to 1.5). */
static bool is_pytorch(const unsigned char *bytes, size_t size) {
    enum { NAMES = 1 << 16 };
    const char name[] = "data.pkl";
    if (size > 2 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5) return true;
    if (size < 4 || memcmp(bytes, "PK\3\4", 4) != 0) return false;
    return memmem(bytes, size < 100 ? size : 100, name, strlen(name)) ||
           memmem(size > NAMES ? bytes + size - NAMES : bytes, size > NAMES ? NAMES : size,
                  name, strlen(name));
}

static bool is_zeros(const unsigned char *bytes, size_t size) {
    size_t n = size < 64 ? size : 64;
    while (n && !bytes[n - 1]) n--;
    return n == 0;
}

static const char *kind_of_text(const char *text, size_t size) {
    if (begins(text, size, "<!doctype html") || begins(text, size, "<html"))
        return "a web page (HTML), perhaps an error or a form in place of the download: open "
               "it "
               "in a browser, and fetch the file itself";
    if (begins(text, size, "<?xml"))
        return "an XML text, perhaps the error of a download: read it, and fetch the file "
               "again";
    if (begins(text, size, "{") || begins(text, size, "["))
        return "a JSON text: a model's config or tokenizer belongs to a folder, of which "
               "strata "
               "convert FOLDER OUT.gguf makes a GGUF file";
    return NULL;
}

const char *file_kind(const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (size >= marks[i].at + marks[i].size &&
            memcmp(bytes + marks[i].at, marks[i].bytes, marks[i].size) == 0)
            return marks[i].kind;
    if (is_safetensors(bytes, size))
        return "a safetensors file: make a GGUF file of the folder it lies in, with strata "
               "convert FOLDER OUT.gguf";
    if (is_pytorch(bytes, size)) return PYTORCH;
    if (size >= 4 && memcmp(bytes, "PK\3\4", 4) == 0) return "a zip archive: " ARCHIVE;
    if (is_zeros(bytes, size))
        return "a file that begins with zeros, as a download that was never finished: fetch it "
               "again";
    return kind_of_text(data, size);
}
