/* text.c - see text.h. */
#include "text.h"
#include "size.h"

#include <ctype.h>
#include <string.h>

Text text_of(const char *string) { return (Text){string, strlen(string)}; }

bool text_equal(Text a, Text b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool text_begins(Text text, Text with) {
    return text.size >= with.size && text_equal((Text){text.data, with.size}, with);
}

bool text_ends(Text text, Text with) {
    return text.size >= with.size &&
           text_equal((Text){text.data + text.size - with.size, with.size}, with);
}

Text text_trim(Text text) {
    while (text.size && isspace((unsigned char)text.data[0])) text.data++, text.size--;
    while (text.size && isspace((unsigned char)text.data[text.size - 1])) text.size--;
    return text;
}

int text_order(Text a, Text b) {
    int first = memcmp(a.data, b.data, min_size(a.size, b.size));
    return first ? first : a.size < b.size ? -1 : a.size > b.size;
}

int digit_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'z' ? c - 'a' + 10
           : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                  : 99;
}

Text text_cut(Text *rest, char mark) {
    const char *at = rest->size ? memchr(rest->data, mark, rest->size) : NULL;
    Text part = {rest->data, at ? (size_t)(at - rest->data) : rest->size};
    size_t skip = part.size + (at != NULL);
    rest->data += skip, rest->size -= skip;
    return part;
}
