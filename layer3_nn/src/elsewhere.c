/* elsewhere.c - products on other machines: none, until an extra says how.  See linear.h. */
#include "linear.h"

LinearElsewhere *linear_elsewhere;
