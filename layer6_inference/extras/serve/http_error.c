/* http_error.c - see http_error.h. */
#include "http_error.h"

#include "calls/write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool http_error_fault(HttpError *r, int status, const char *param) {
    r->status = fault_is_memory(&r->fault) ? 503 : status;
    r->code = NULL;
    snprintf(r->param, sizeof r->param, "%s", param ? param : "");
    return false;
}

bool http_error(HttpError *r, int status, const char *param, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->fault.text, sizeof r->fault.text, format, arguments);
    va_end(arguments);
    return http_error_fault(r, status, param);
}

void http_error_rename(HttpError *r, const char *name, const char *sent) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    if (strcmp(r->param, name) != 0 || strcmp(name, sent) == 0) return;
    snprintf(r->param, sizeof r->param, "%s", sent);
    const size_t word = strspn(r->fault.text, letters);
    if (word != strlen(name) || strncmp(r->fault.text, name, word) != 0) return;
    const char *rest = r->fault.text + word, *index = *rest == '[' ? strchr(rest, ']') : NULL;
    const Fault old = r->fault;
    fault_set(&r->fault, "%s%s", sent, old.text + ((index ? index + 1 : rest) - r->fault.text));
}

const char *http_error_type(int status) {
    static const struct {
        int status;
        const char *type;
    } types[] = {{400, "invalid_request_error"}, {401, "authentication_error"},
                 {403, "permission_error"},      {404, "not_found_error"},
                 {405, "invalid_request_error"}, {413, "invalid_request_error"},
                 {415, "invalid_request_error"}, {429, "rate_limit_error"},
                 {501, "not_supported_error"},   {503, "unavailable_error"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].status == status) return types[i].type;
    return "server_error";
}

void http_error_write(const HttpError *r, FILE *out) {
    fputs("{\"error\":{\"message\":", out);
    write_text(out, text_of(r->fault.text));
    fprintf(out, ",\"type\":\"%s\",\"param\":", http_error_type(r->status));
    if (r->param[0])
        write_text(out, text_of(r->param));
    else
        fputs("null", out);
    fprintf(out, r->code ? ",\"code\":\"%s\"}}" : ",\"code\":null}}", r->code);
}
