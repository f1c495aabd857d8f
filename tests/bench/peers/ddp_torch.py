"""Rows C and E shared out to processes by PyTorch's DistributedDataParallel over gloo, each with one thread and its share of every batch.

    python ddp_torch.py {C,E} [--ranks 2] [--steps 10]
"""

import argparse
import os
import time

import torch
from torch import distributed, multiprocessing, nn

from batches import Draws
from ce_torch import ROWS


class Step(nn.Module):
    """The forward pass that is wrapped: from a batch to its loss."""

    def __init__(self, row):
        super().__init__()
        self.model, self.loss = row["model"], row["loss"]

    def forward(self, *batch):
        return self.loss(batch)


def work(rank, options):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    distributed.init_process_group("gloo", rank=rank, world_size=options.ranks)
    row = ROWS[options.row](Draws())
    step = nn.parallel.DistributedDataParallel(Step(row))
    untimed, seconds, tokens = 3, 0.0, 0
    for number in range(untimed + options.steps):
        whole = row["draw"]()
        batch = [part[rank :: options.ranks] for part in whole]
        distributed.barrier()
        begin = time.perf_counter()
        loss = step(*batch)
        row["optimizer"].zero_grad(set_to_none=True)
        loss.backward()
        row["optimizer"].step()
        loss.item()
        distributed.barrier()
        if number >= untimed:
            seconds += time.perf_counter() - begin
            tokens += row["useful"](whole)
    if rank == 0:
        print(f"useful_tokens_per_second\t{tokens / seconds:.1f}")
        print(f"milliseconds_a_step\t{1000 * seconds / options.steps:.3f}")
    distributed.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("row", choices=ROWS)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29577")
    multiprocessing.spawn(work, args=(options,), nprocs=options.ranks)
