#!/bin/sh
# A program for 64-bit ARM, run by qemu-user: emulate.sh SYSROOT PROGRAM [ARGUMENT...]
# Programs reserve addresses by the 100 GiB. qemu keeps an entry for each of their pages, which took seconds a start and 11 GB of memory;
# where addresses are limited programs reserve less of them (tensor/arena.hpp).
exec prlimit --as=4294967296 qemu-aarch64 -L "$@"
