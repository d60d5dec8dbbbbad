/* zip.h - the entries of a zip archive whose bytes are stored as they are.  Private: what PyTorch's files need.
 *
 *     entry | entry | ... | directory: a record for each entry | its end: where the directory is
 *
 *     entry    "PK\3\4" ... sizes of name and extra | name | extra | bytes
 *     record   "PK\1\2" ... method, sizes, where the entry begins | name | extra | comment
 *     end      "PK\5\6" ... number of records, size and place of the directory | comment
 *
 * Where a number does not fit in 16 or 32 bits all its bits are set, and a second end ("PK\6\6") or the record's
 * extra field number 1 has it in 64.  Checksums are not looked at: what they guard is as large as a model.
 *
 * Invariant: after zip_open returns true every entry lies in the file, and names are unique and in order.
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

/* Read the directory of an archive that lies in memory.
 *
 *   bytes   (size)   borrowed: must outlive the Zip
 *
 * Fails, naming the entry, when the file is damaged, and when an entry is packed or encrypted.  Memory grows
 * with the directory, which the file has to contain. */
bool zip_open(Zip *zip, const unsigned char *bytes, size_t size, Fault *fault);
void zip_close(Zip *zip);

/* The entry of this name; NULL: there is none. */
const ZipEntry *zip_find(const Zip *zip, Text name);

#endif
