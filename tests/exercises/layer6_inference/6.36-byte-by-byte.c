/* right: byte by byte, with what came before in mind */
void sse_event(FILE *out, Text text) {
    char before = 0;
    fputs("data: ", out);
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '\n' && before == '\r') {
        } else if (c == '\n' || c == '\r')
            fputs("\ndata: ", out);
        else
            fputc(c, out);
        before = c;
    }
    fputs("\n\n", out);
}
