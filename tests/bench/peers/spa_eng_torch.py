"""The training step of recipes/spa-eng.yaml as a user of PyTorch writes it: batches padded to their longest line, fused modules,
scaled_dot_product_attention. Prints what `train --benchmark-steps` prints: useful tokens a second (source and predicted target tokens, no padding),
milliseconds a step, and the peak memory.

    python spa_eng_torch.py --ids train.ids [--steps 30] [--threads 2]

`--ids`: lines of source ids, TAB, target ids with start and end, as `paste source.ids target.ids` makes them. Needs torch;
nothing else of this project needs Python.
"""

import argparse
import math
import random
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

WIDTH, HEADS, HEAD_WIDTH, FEED_FORWARD, POSITIONS, VOCABULARY = 256, 8, 256, 2048, 20, 15000
NORM_EPSILON, OUTPUT_DROPOUT, BATCH, PAD = 1e-3, 0.5, 64, 0


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        inner = HEADS * HEAD_WIDTH
        self.query, self.key, self.value = (nn.Linear(WIDTH, inner) for _ in range(3))
        self.output = nn.Linear(inner, WIDTH)
        # Fans as for a convolution kernel [width, heads, key], as the source's framework computes them.
        for layer, fan_in, fan_out in (
            (self.query, WIDTH * HEADS, WIDTH * HEAD_WIDTH),
            (self.key, WIDTH * HEADS, WIDTH * HEAD_WIDTH),
            (self.value, WIDTH * HEADS, WIDTH * HEAD_WIDTH),
            (self.output, HEADS * HEAD_WIDTH, HEADS * WIDTH),
        ):
            limit = math.sqrt(6 / (fan_in + fan_out))
            nn.init.uniform_(layer.weight, -limit, limit)
            nn.init.zeros_(layer.bias)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], HEADS, HEAD_WIDTH).transpose(1, 2)

    def forward(self, x, memory, mask=None, is_causal=False):
        context = F.scaled_dot_product_attention(
            self.split(self.query(x)), self.split(self.key(memory)), self.split(self.value(memory)), attn_mask=mask, is_causal=is_causal
        )
        return self.output(context.transpose(1, 2).reshape(x.shape[0], x.shape[1], HEADS * HEAD_WIDTH))


def dense(inputs, outputs):
    layer = nn.Linear(inputs, outputs)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


class FeedForward(nn.Sequential):
    def __init__(self):
        super().__init__(dense(WIDTH, FEED_FORWARD), nn.ReLU(), dense(FEED_FORWARD, WIDTH))


def norm():
    return nn.LayerNorm(WIDTH, eps=NORM_EPSILON)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.attention_norm, self.feed_forward, self.feed_forward_norm = Attention(), norm(), FeedForward(), norm()

    def forward(self, x, mask):
        x = self.attention_norm(x + self.attention(x, x, mask))
        return self.feed_forward_norm(x + self.feed_forward(x))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attention, self.self_norm = Attention(), norm()
        self.cross_attention, self.cross_norm = Attention(), norm()
        self.feed_forward, self.feed_forward_norm = FeedForward(), norm()

    def forward(self, x, memory, mask):
        # Padding stands behind the real tokens, so the causal mask alone keeps it out of them.
        x = self.self_norm(x + self.self_attention(x, x, is_causal=True))
        x = self.cross_norm(x + self.cross_attention(x, memory, mask))
        return self.feed_forward_norm(x + self.feed_forward(x))


class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.position = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        for table in (self.token, self.position):
            nn.init.uniform_(table.weight, -0.05, 0.05)

    def forward(self, ids):
        return self.token(ids) + self.position.weight[: ids.shape[1]]


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.source, self.target = Embedding(), Embedding()
        self.encoder, self.decoder = Encoder(), Decoder()
        self.dropout, self.head = nn.Dropout(OUTPUT_DROPOUT), dense(WIDTH, VOCABULARY)

    def forward(self, source, target):
        mask = (source != PAD)[:, None, None, :]
        memory = self.encoder(self.source(source), mask)
        return self.head(self.dropout(self.decoder(self.target(target), memory, mask)))


def read_ids(path):
    pairs = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            source, target = ([int(i) for i in column.split()] for column in line.rstrip("\n").split("\t"))
            if source and len(target) > 1:
                pairs.append((source[:POSITIONS], target[: POSITIONS + 1]))
    return pairs


def padded(rows):
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ids", required=True)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--warm-up", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    draw = random.Random(options.seed)

    pairs = read_ids(options.ids)
    model = Translator()
    parameters = sum(p.numel() for p in model.parameters())
    assert parameters == 19960216, parameters
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, alpha=0.9, eps=1e-7)
    model.train()

    def step():
        batch = draw.sample(pairs, BATCH)
        source, target = padded([s for s, _ in batch]), padded([t for _, t in batch])
        logits = model(source, target[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        return sum(len(s) + len(t) - 1 for s, t in batch), loss.item()

    for _ in range(options.warm_up):
        step()
    begin, tokens = time.perf_counter(), 0
    for _ in range(options.steps):
        useful, loss = step()
        tokens += useful
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"useful_tokens_per_second\t{tokens / seconds:.1f}")
    print(f"milliseconds_a_step\t{1000 * seconds / options.steps:.3f}")
    print(f"peak_resident_bytes\t{peak}")
    print(f"torch {torch.__version__}, {options.threads} threads, {tokens} tokens, last loss {loss:.4f}", file=sys.stderr)


if __name__ == "__main__":
    main()
