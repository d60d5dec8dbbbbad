/* zip.h - the entries of an uncompressed zip archive.  Private: what PyTorch's files need.
 *
 *     entry | entry | ... | directory: a record per entry | its end: where it is
 *
 *     entry    "PK\3\4" ... sizes of name and extra | name | extra | bytes
 *     record   "PK\1\2" ... method, sizes, where the entry begins | name | extra | comment
 *     end      "PK\5\6" ... number of records, size and offset of the directory | comment
 *
 * A number that does not fit in 16 or 32 bits has all bits set; its 64-bit value is in a second
 * end ("PK\6\6") or in the record's extra field number 1.  Checksums are not verified: the data
 * is as large as a model.
 *
 * Invariant: after zip_open returns true every entry is within the file; names are unique and
 * sorted.
 *
 * Source   PKWARE's APPNOTE.TXT, sections 4.3 and 4.5. */
#ifndef STRATA_ZIP_H
#define STRATA_ZIP_H

#include "fault.h"
#include "text.h"

#include <stdint.h>

typedef struct ZipEntry {
    Text name;
    const unsigned char *data; /* (size) */
    size_t size;
} ZipEntry;

typedef struct Zip {
    ZipEntry *entries; /* (count) owns; by name */
    size_t count;
} Zip;

/* Parse the directory of an archive in memory.
 *
 *   bytes   (size)   borrowed: must outlive the Zip
 *
 * Fails, naming the entry, when the file is damaged or an entry is compressed or encrypted.
 * Memory is bounded by the size of the directory. */
bool zip_open(Zip *zip, const unsigned char *bytes, size_t size, Fault *fault);
void zip_close(Zip *zip);

/* The entry of this name; NULL: there is none. */
const ZipEntry *zip_find(const Zip *zip, Text name);

#endif
