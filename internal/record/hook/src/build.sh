#!/bin/sh
# Builds the hook for linux/amd64 and linux/arm64, the same bytes each time with the same compiler. Needs gcc 12 and
# aarch64-linux-gnu-gcc 12 (Debian 12: gcc, gcc-aarch64-linux-gnu). The folder to write to may be given.
set -eu
cd "$(dirname "$0")"
to=${1:-..}
build() { # build COMPILER STRIP ARCH
  # shellcheck disable=SC2046 # the flags are words
  "$1" $(cat flags) -ffile-prefix-map="$PWD"=. -o "$to/hook_$3.so" hook.c
  "$2" --strip-unneeded "$to/hook_$3.so"
}
build gcc strip amd64
build aarch64-linux-gnu-gcc aarch64-linux-gnu-strip arm64
