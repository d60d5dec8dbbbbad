/* pytorch.h - files of torch.save: a zip archive with a pickle and a file of numbers per
 * storage.
 *
 *     archive/data.pkl    {"model.norm.weight": (64) numbers of storage "7", ...}
 *     archive/data/7      its numbers
 *
 * A pickle is a program that Python would run.  Here it is parsed as data, with a closed list
 * of opcodes and names, and nothing is executed: see extras/import/pickle.h.
 *
 * Invariant: after pytorch_parse returns true each tensor is contiguous within the file and has
 * the bytes that its shape and format need; names are unique [numbers_are_there, damage]. */
#ifndef STRATA_PYTORCH_H
#define STRATA_PYTORCH_H

#include "region.h"
#include "safetensors.h"

typedef struct Pytorch {
    Region region;       /* owns the list of tensors */
    SafeTensor *tensors; /* (n_tensors) in the order of the pickle */
    size_t n_tensors;
} Pytorch;

/* Does it look like a file of torch.save, of this format or an older one? */
bool pytorch_is(const void *bytes, size_t size);

/* Parse a file in memory.
 *
 *   bytes   (size)   borrowed: must outlive the Pytorch
 *
 * Fails, naming the entry or tensor, when the file is damaged, holds anything but tensors, or
 * would call any other function.  Memory is bounded by the sizes of pickle and directory. */
bool pytorch_parse(Pytorch *pytorch, const void *bytes, size_t size, Fault *fault);
void pytorch_free(Pytorch *pytorch);

#endif
