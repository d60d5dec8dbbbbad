/* machine.c - see machine.h. */
#include "machine.h"

#include <stdarg.h>
#include <stdio.h>

void machine_raise(Machine *machine, const char *kind, const char *format, ...) {
    char text[400];
    va_list arguments;
    if (machine->failed) return;
    machine->failed = true;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fault_set(machine->fault, "line %d: %s: %s", machine->line, kind, text);
}

void *machine_take_much(Machine *machine, size_t size) {
    void *out = machine->failed ? NULL : region_alloc(&machine->region, size);
    if (!out && size < LIMIT_MEMORY && machine->region.taken < LIMIT_MEMORY - size)
        machine_raise(machine, "MemoryError", "no memory for %zu bytes of values", size);
    if (!out)
        machine_raise(machine, "MemoryError", "the values take more than %d MiB",
                      LIMIT_MEMORY >> 20);
    return out;
}

void *machine_take(Machine *machine, size_t size) {
    void *out = machine_take_much(machine, size);
    if (out) return out;
    size = (size + 15) & ~(size_t)15;
    REQUIRE(size <= RESERVE - machine->reserved, "a failed template goes on: %zu bytes more",
            size);
    out = machine->reserve + machine->reserved;
    machine->reserved += size;
    return out;
}

bool machine_work(Machine *machine, size_t amount) {
    if (amount > LIMIT_WORK - machine->work) {
        machine_raise(machine, "RuntimeError", "the template takes more than %d steps",
                      LIMIT_WORK);
        machine->work = LIMIT_WORK;
    } else {
        machine->work += amount;
    }
    return !machine->failed;
}

bool machine_enter(Machine *machine) {
    if (++machine->depth > LIMIT_DEPTH)
        machine_raise(machine, "RecursionError", "more than %d levels inside each other",
                      LIMIT_DEPTH);
    return !machine->failed;
}

void machine_leave(Machine *machine) { machine->depth--; }
