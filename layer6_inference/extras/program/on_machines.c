/* on_machines.c - see on_machines.h. */
#include "on_machines.h"
#include "file_write.h"
#include "pictures/files.h"
#include "version.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LONGEST_SECONDS = 4, /* the first machine's wait for an answer; others wait for 5 */
    START_SECONDS = 30,  /* and everyone's for the last one to begin */
    END_SECONDS = 12     /* for MPI, when all is done */
};

static struct {
    Group group; /* size 0: this machine alone */
    Machines *machines;
    double shares[GROUP_MAX];
    bool by_layers, sends; /* whole layers; its files, which the others do not have */
    bool half;             /* numbers travel as halves */
    bool dismissed;        /* the others have been told that it is the end */
    void (*tell)(void *context, const Fault *fault); /* before the end; or NULL */
    void *told;
} here;

void machines_before_end(void (*tell)(void *context, const Fault *fault), void *context) {
    here.tell = tell, here.told = context;
}

int machines_number(void) { return here.group.size > 1 ? here.group.size : 1; }

bool machines_by_layers(void) { return here.by_layers; }

/* A number that MPICH's or Open MPI's mpirun tells its processes. */
static int told(const char *mpich, const char *open_mpi, int otherwise) {
    const char *text = getenv(mpich) ? getenv(mpich) : getenv(open_mpi);
    return text ? atoi(text) : otherwise;
}

static char late[200]; /* what the first one says; "": another one */

static void begin_too_late(int signal) {
    (void)signal;
    if (write(STDERR_FILENO, late, strlen(late)) < 0) _exit(EXIT_FAILED);
    _exit(EXIT_FAILED);
}

/* MPI_Init has no time limit: it waits for a machine that does not begin. */
static bool begin_in_time(bool (*open)(Group *, Fault *), Fault *fault) {
    if (machines_first())
        snprintf(late, sizeof late,
                 "strata: of %d machines not all have begun after %d s: can each run this "
                 "program, and does the network reach it?\n",
                 told("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", 1), (int)START_SECONDS);
    signal(SIGALRM, begin_too_late);
    alarm(START_SECONDS);
    bool ok = open(&here.group, fault);
    alarm(0);
    return ok;
}

/* The library beside the programs. */
static bool open_group(Fault *fault) {
    static const char *const folders[] = {"", "../lib/strata/"};
    bool (*open)(Group *, Fault *);
    char folder[2048], path[2100];
    bool known = program_folder(folder, sizeof folder);
    for (size_t i = 0; known && i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%sstrata-mpi.so", folder, folders[i]);
        void *library = library_open((const char *[]){path, NULL});
        if (library && library_find(library, "group_mpi", &open))
            return begin_in_time(open, fault);
    }
    return fault_set(fault, "built without MPI, which several machines need: install it "
                            "(apt-get install libmpich-dev) and run make again");
}

/* A machine was lost: no result would be whole.  The first one ends all; another one, which
 * cannot reach it, ends itself. */
static void end_all(void *context, const Fault *fault) {
    (void)context;
    if (here.tell) here.tell(here.told, fault);
    fflush(stdout);
    command_failed(fault);
    file_drop_all();
    usleep(200000); /* mpirun forwards the sentence, unless it is killed first */
    if (here.group.rank == 0) here.group.kind->abort(EXIT_FAILED);
    _exit(EXIT_FAILED);
}

/* Another machine than the first: rows for its command, or the same command without a word. */
static int help_first(const Command *command, int argc, char **argv) {
    Fault fault;
    signal(SIGINT, SIG_IGN); /* Ctrl-C goes to all: the first machine says when it is over */
    if (command->on_each) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            return EXIT_FAILED;
        return command_run(command, argc, argv);
    }
    if (machines_serve(&here.group, strata_version(), &fault)) return EXIT_DONE;
    char machine[60];
    snprintf(machine, sizeof machine, "machine %d of %d", here.group.rank + 1, here.group.size);
    fault_prefix(&fault, machine);
    end_all(NULL, &fault);
    return EXIT_FAILED;
}

static int ended; /* this machine's exit status */

static void end_too_late(int signal) {
    (void)signal;
    _exit(ended);
}

/* Sometimes MPICH 4.0 with UCX never returns from MPI_Finalize (one process waits for another's
 * answer, which no longer reads messages).  By then all results are written. */
static int end_in_time(int status) {
    ended = status;
    fflush(NULL);
    signal(SIGALRM, end_too_late);
    alarm(END_SECONDS);
    group_close(&here.group);
    alarm(0);
    return status;
}

int command_run_on_machines(const Command *command, int argc, char **argv) {
    int rank = told("PMI_RANK", "OMPI_COMM_WORLD_RANK", 0), status;
    Fault fault;
    if (told("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", 1) < 2)
        return command_run(command, argc, argv);
    if (!open_group(&fault)) return rank ? EXIT_FAILED : command_failed(&fault);
    if (here.group.rank > 0) {
        status = help_first(command, argc, argv);
    } else {
        status = command_run(command, argc, argv);
        if (here.machines)
            machines_close(here.machines);
        else if (!here.dismissed)
            machines_dismiss(&here.group);
    }
    return end_in_time(status);
}

bool machines_shares(const char *text, int size, double *shares, Fault *fault) {
    int n = 0;
    double sum = 0;
    char *end = NULL;
    for (const char *at = text; n < size; at = end + 1) {
        double share = strtod(at, &end);
        if (end == at || !(share >= 0 && share <= 1e6)) break;
        shares[n++] = share, sum += share;
        if (*end != ':') break;
    }
    return (n == size && end && !*end && sum > 0) ||
           fault_set(fault,
                     "--shares is '%.80s': wanted %d numbers from 0 to 1000000 with : between, "
                     "one for each machine and not all 0",
                     text, size);
}

bool machines_split(const char *text, bool *by_layers, Fault *fault) {
    *by_layers = text && strcmp(text, "layers") == 0;
    return !text || *by_layers || strcmp(text, "rows") == 0 ||
           fault_set(fault, "--split is '%.80s': wanted rows or layers", text);
}

bool machines_wire(const char *text, bool *half, Fault *fault) {
    *half = text && strcmp(text, "f16") == 0;
    return !text || *half || strcmp(text, "f32") == 0 ||
           fault_set(fault, "--wire is '%.80s': wanted f32 or f16", text);
}

bool machines_check(const ComputeOptions *compute, Fault *fault) {
    const char *option = compute->shares          ? "--shares"
                         : compute->split         ? "--split"
                         : compute->wire          ? "--wire"
                         : compute->file_on_first ? "--file-on-first"
                                                  : NULL;
    here.sends = compute->file_on_first;
    if (!option) return true;
    if (machines_number() == 1)
        return fault_set(fault, "%s is for several machines: mpirun -n 3 strata ...", option);
    return machines_split(compute->split, &here.by_layers, fault) &&
           machines_wire(compute->wire, &here.half, fault) &&
           (!compute->shares ||
            machines_shares(compute->shares, here.group.size, here.shares, fault));
}

bool machines_take(const ComputeOptions *compute, const char *path, const Model *model,
                   Fault *fault) {
    const MachinesConfig config = {.group = &here.group,
                                   .shares = compute->shares ? here.shares : NULL,
                                   .by_layers = here.by_layers,
                                   .file_on_first = compute->file_on_first,
                                   .half = here.half,
                                   .threads = (int)compute->threads,
                                   .pack = !compute->no_pack,
                                   .least = MACHINES_LEAST,
                                   .seconds = LONGEST_SECONDS,
                                   .version = strata_version(),
                                   .lost = end_all};
    if (!here.machines && !(here.machines = machines_open(&config, fault))) return false;
    return machines_lend(here.machines, model, path, fault);
}

static TrainPartsConfig parts_config(size_t parts) {
    return (TrainPartsConfig){.parts = parts,
                              .group = here.group.size > 1 ? &here.group : NULL,
                              .seconds = LONGEST_SECONDS,
                              .version = strata_version(),
                              .lost = end_all};
}

bool machines_first(void) { return told("PMI_RANK", "OMPI_COMM_WORLD_RANK", 0) == 0; }

TrainParts *machines_train(Trainer *trainer, size_t parts, Fault *fault) {
    const TrainPartsConfig config = parts_config(parts);
    here.dismissed = true;
    return train_parts_open(trainer, &config, fault);
}

bool machines_help_train(Trainer *trainer, size_t parts, Fault *fault) {
    const TrainPartsConfig config = parts_config(parts);
    return train_parts_serve(trainer, &config, fault);
}

void machines_forget(const Model *model) {
    if (here.machines) machines_return(here.machines, model);
}

void machines_print(FILE *out) {
    if (!here.machines) return;
    MachinesCount count = machines_count(here.machines);
    fprintf(out, "[%zu %s on %d machines: %.3g MB sent, %.3g MB received",
            here.by_layers ? count.parts : count.products,
            here.by_layers ? "parts of batches" : "products", here.group.size,
            (double)count.sent / 1e6, (double)count.received / 1e6);
    if (here.sends) fprintf(out, ", %.3g MB of files and greetings", (double)count.begun / 1e6);
    fprintf(out, "]\n");
}
