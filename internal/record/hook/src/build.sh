#!/bin/sh
# Builds the hook for linux/amd64 and linux/arm64, the same bytes each time with the same compiler. Needs gcc 12 and
# aarch64-linux-gnu-gcc 12 (Debian 12: gcc, gcc-aarch64-linux-gnu). The folder to write to may be given.
set -eu
cd "$(dirname "$0")"
to=${1:-..}
build() { # build COMPILER STRIP ARCH
  "$1" -std=gnu11 -O2 -Wall -Wextra -fPIC -fvisibility=hidden -fno-stack-protector -U_FORTIFY_SOURCE -fno-ident -ffile-prefix-map="$PWD"=. \
    -shared -Wl,--build-id=none -Wl,-z,relro -Wl,-z,now -Wl,--hash-style=both -o "$to/hook_$3.so" hook.c
  "$2" --strip-unneeded "$to/hook_$3.so"
}
build gcc strip amd64
build aarch64-linux-gnu-gcc aarch64-linux-gnu-strip arm64
