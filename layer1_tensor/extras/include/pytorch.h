/* pytorch.h - the files that torch.save writes: a zip archive with a pickle and a file of numbers for each storage.
 *
 *     archive/data.pkl    {"model.norm.weight": tensor of storage "7" from number 0 on, (64), ...}
 *     archive/data/7      its numbers
 *
 * A pickle is a program that Python would run.  Here it is read as data with a closed list of opcodes and names,
 * and nothing is executed: see extras/import/pickle.h.
 *
 * Invariant: after pytorch_parse returns true each tensor lies in one piece within the file, row after row, and
 * takes as many bytes as its shape and format say; names are unique. */
#ifndef STRATA_PYTORCH_H
#define STRATA_PYTORCH_H

#include "region.h"
#include "safetensors.h"

typedef struct Pytorch {
    Region region;       /* own what the tensors are listed in */
    SafeTensor *tensors; /* (n_tensors) in the order of the pickle */
    size_t n_tensors;
} Pytorch;

/* Does it look like a file of torch.save, of this kind or of an older one? */
bool pytorch_is(const void *bytes, size_t size);

/* Read a file that lies in memory.
 *
 *   bytes   (size)   borrowed: must outlive the Pytorch
 *
 * Fails, naming the entry, the name or the tensor, when it is damaged, holds anything but tensors, or asks for
 * anything to be run.  Memory grows with the pickle and the directory, which the file has to contain. */
bool pytorch_parse(Pytorch *pytorch, const void *bytes, size_t size, Fault *fault);
void pytorch_free(Pytorch *pytorch);

#endif
