/* right: one bound for both counts, refused in words of its own; nothing is stored before all is checked */
static void read_header(Gguf *gguf, Reader *reader) {
    const unsigned char *magic = take_bytes(reader, 4, "no magic");
    if (!magic) return;
    if (memcmp(magic, "GGUF", 4)) {
        refuse_magic(reader, magic);
        return;
    }
    uint32_t version = (uint32_t)take_int(reader, 4, "no version");
    if (!reader->ok) return;
    if (version < 2 || version > 3) {
        refuse_version(reader, version);
        return;
    }
    uint64_t tensors = take_int(reader, 8, "no tensor count");
    uint64_t pairs = take_int(reader, 8, "no pair count");
    if (!reader->ok) return;
    size_t room = left(reader);
    if (tensors > room / 32 || pairs > (room - tensors * 32) / 13) {
        fail(reader, "more is announced than there is");
        return;
    }
    gguf->version = version;
    gguf->n_tensors = (size_t)tensors;
    gguf->n_pairs = (size_t)pairs;
}
