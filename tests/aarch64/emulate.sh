#!/bin/sh
# A program for 64-bit ARM, run by qemu-user: emulate.sh SYSROOT PROGRAM [ARGUMENT...]
# It gets 32 GiB of addresses, which are used again. Without that limit qemu takes others for each arena, and keeps an entry for each of
# their pages: a test that makes thousands of arenas had gigabytes of them.
exec qemu-aarch64 -R 32G -L "$@"
