#!/bin/sh
# The log of the storyteller's training: tokens,loss,heldout_loss,floor.  usage: curve.sh MODELS
set -e
echo "tokens,loss,heldout_loss,floor"
awk -F, 'FNR > 1 { printf "%d,%s,%s,%s\n", $2, $3, $7, $8 }' "$1/storyteller.csv"
