"""Rows N1, NL and NG: a review classifier of one LSTM or GRU (../steps/classifier.hpp) as a user of PyTorch writes it, packed.

    python n_torch.py {N1,NL,NG} [--steps 10] [--threads 2]
"""

import sys

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence

from batches import PAD, dense, padded, read_lengths, run, table

VOCABULARY = 20000


class Classifier(nn.Module):
    def __init__(self, width, cell):
        super().__init__()
        self.token = table(VOCABULARY, width)
        self.layer = cell(width, width, batch_first=True)
        self.dropout, self.head = nn.Dropout(0.5), dense(width, 1)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.token(ids), lengths, batch_first=True, enforce_sorted=False)
        _, last = self.layer(packed)
        if isinstance(last, tuple):
            last = last[0]
        return self.head(self.dropout(last[-1]))[:, 0]


def make_row(width, cell, batch_size, table_of_lengths, parameters):
    def make(draws):
        lengths = read_lengths(table_of_lengths)
        model = Classifier(width, cell)

        def draw():
            rows = []
            for _ in range(batch_size):
                length, _ = lengths[draws.below(len(lengths))]
                rows.append(draws.sequence(length, VOCABULARY))
            labels = torch.tensor([float(draws.below(2)) for _ in rows])
            return padded(rows), torch.tensor([len(row) for row in rows]), labels

        return {
            "model": model,
            "optimizer": torch.optim.RMSprop(model.parameters(), lr=1e-3, alpha=0.9, eps=1e-7),
            "parameters": parameters,
            "draw": draw,
            "loss": lambda batch: F.binary_cross_entropy_with_logits(model(batch[0], batch[1]), batch[2]),
            "useful": lambda batch: int((batch[0] != PAD).sum()),
        }

    return make


if __name__ == "__main__":  # PyTorch's LSTM has a second bias of the gates
    rows = {
        "N1": make_row(32, nn.LSTM, 32, "imdb-600.txt", 648_353 + 4 * 32),
        "NL": make_row(256, nn.LSTM, 64, "imdb-80.txt", 5_645_569 + 4 * 256),
        "NG": make_row(256, nn.GRU, 64, "imdb-80.txt", 5_515_009),
    }
    run(rows[sys.argv.pop(1)])
