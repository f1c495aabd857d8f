"""Vectors of the lines of a text by sentence-transformers (PyTorch).

The batch size is the one of --batches that makes the first 500 lines fastest; with it all lines are made once. Prints seconds on the clock,
seconds of the processor and the batch size, separated by TABs. The model is loaded before; tokens are made within the time, as ours are.
"""

import argparse
import time

import numpy
import torch
from sentence_transformers import SentenceTransformer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--batches", default="16,32,64,128")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", required=True)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    with open(args.text, encoding="utf-8") as file:
        lines = file.read().splitlines()
    model = SentenceTransformer(args.model, device="cpu")

    def encode(some, batch):
        begin, busy = time.perf_counter(), time.process_time()
        vectors = model.encode(some, batch_size=batch, show_progress_bar=False)
        return time.perf_counter() - begin, time.process_time() - busy, batch, vectors

    encode(lines[:128], 64)  # pages and caches
    batch = min(encode(lines[:500], batch)[1:3] for batch in map(int, args.batches.split(",")))[1]
    seconds, busy, _, vectors = encode(lines, batch)
    numpy.save(args.output, vectors)
    print(f"{seconds:.3f}\t{busy:.3f}\t{batch}")


if __name__ == "__main__":
    main()
