/* proof.h - free inputs and claims, for every harness. */
#ifndef STRATA_PROOF_H
#define STRATA_PROOF_H

#include <__fc_builtin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*@ requires false_claim: \false;
  @ assigns \nothing; */
void refuted(void);

/* True in every run; if Eva cannot tell, that is an alarm. */
#define PROVE(claim)             \
    do {                         \
        if (!(claim)) refuted(); \
    } while (0)

/* Any bytes. */
#define ANY(object) Frama_C_make_unknown((char *)&(object), sizeof(object))

/* Any number from low to high. */
#define ANY_SIZE(low, high) Frama_C_unsigned_long_interval(low, high)

/* Set by a harness whose calls may break a contract: such a run ends there. */
extern bool any_call;

/* The last line of main: some run gets here. */
#define END() Frama_C_show_each_end()

#endif
