"""The kernels of ../kernels/ in PyTorch, on the same shapes and under the same names. Products write into memory that is there already, so that
they are MKL's alone. Prints lines "name<TAB>microseconds".

    python kernels_torch.py [--threads 2] [--seconds 0.2]
"""

import argparse
import time

import torch
from torch.nn import functional as F

# As in ../kernels/products.cpp.
SHAPES = [
    (1, 256, 2048), (1, 2048, 256), (1, 256, 15000), (64, 128, 512), (64, 128, 10000),
    (7168, 32, 64), (7168, 64, 32), (7168, 32, 32),
    (7168, 256, 512), (7168, 512, 256), (7168, 256, 32), (7168, 32, 256),
    (10080, 256, 512), (10080, 512, 256), (10080, 256, 256), (2560, 256, 20000),
    (400, 256, 2048), (400, 2048, 256), (1000, 256, 2048), (1000, 2048, 256), (453, 256, 15000),
    (800, 16, 128), (800, 128, 128),
    (36864, 108, 64), (36864, 64, 256), (36864, 256, 64), (36864, 64, 128), (36864, 128, 64),
    (256, 9216, 2048), (256, 2048, 1024),
    (1120, 128, 128), (1120, 128, 512), (1120, 512, 128), (1120, 128, 8192),
    (1024, 1024, 1024),
]  # fmt: skip
LOSSES = [(453, 256, 15000), (1120, 128, 8192), (2560, 256, 20000)]
# As in ../kernels/attention.cpp: sequences, length, heads, head width, causal.
ATTENTION = [
    (64, 10, 8, 256, False), (64, 10, 8, 256, True), (64, 10, 8, 16, False), (64, 10, 8, 16, True),
    (64, 80, 2, 256, True), (64, 80, 8, 64, False), (64, 80, 8, 16, True),
    (32, 144, 4, 64, False), (32, 144, 8, 16, False), (32, 144, 2, 256, True),
    (8, 600, 2, 32, False), (8, 600, 2, 256, False), (8, 600, 8, 64, True),
]  # fmt: skip


def measure(name, seconds, call):
    call()
    calls, begin = 0, time.perf_counter()
    while calls < 2 or time.perf_counter() - begin < seconds:
        call()
        calls += 1
    print(f"{name}\t{1e6 * (time.perf_counter() - begin) / calls:.3f}", flush=True)


def backward(result, cotangent, inputs):
    """Replays the backward pass alone."""
    return lambda: torch.autograd.grad(result, inputs, cotangent, retain_graph=True)


def products(seconds):
    for t, i, o in SHAPES:
        # nn.Linear keeps weights as [O, I].
        x, w, b, dy = torch.randn(t, i), torch.randn(o, i), torch.randn(o), torch.randn(t, o)
        y, dx, dw, db = torch.empty(t, o), torch.empty(t, i), torch.empty(o, i), torch.empty(o)

        def weight():
            torch.mm(dy.t(), x, out=dw)
            torch.sum(dy, 0, out=db)

        measure(f"linear/{t}/{i}/{o}", seconds, lambda: torch.addmm(b, x, w.t(), out=y))
        measure(f"linear_backward_input/{t}/{i}/{o}", seconds, lambda: torch.mm(dy, w, out=dx))
        measure(f"linear_backward_weight/{t}/{i}/{o}", seconds, weight)
    for t, i, o in LOSSES:
        h, w, b = torch.randn(t, i, requires_grad=True), (0.05 * torch.randn(o, i)).requires_grad_(), torch.randn(o, requires_grad=True)
        labels = torch.arange(t) * 7919 % o

        def loss():
            torch.autograd.grad(F.cross_entropy(F.linear(h, w, b), labels), (h, w, b))

        measure(f"linear_cross_entropy/{t}/{i}/{o}", seconds, loss)


def attention(seconds):
    for sequences, length, heads, width, is_causal in ATTENTION:
        q, k, v = (torch.randn(sequences, length, heads, width).transpose(1, 2).requires_grad_() for _ in range(3))
        name = f"{'_causal' if is_causal else ''}/{sequences}/{length}/{heads}/{width}"

        def forward():
            return F.scaled_dot_product_attention(q, k, v, is_causal=is_causal)

        measure("attention" + name, seconds, forward)
        y = forward()
        measure("attention_backward" + name, seconds, backward(y, torch.randn_like(y), (q, k, v)))


def passes(seconds):
    for t, d in ((1000, 256), (7168, 32), (36864, 64)):
        x, gamma, beta = (torch.randn(*shape, requires_grad=True) for shape in ((t, d), (d,), (d,)))
        measure(f"layer_norm/{t}/{d}", seconds, lambda: F.layer_norm(x, (d,), gamma, beta, 1e-6))
        y = F.layer_norm(x, (d,), gamma, beta, 1e-6)
        measure(f"layer_norm_backward/{t}/{d}", seconds, backward(y, torch.randn_like(y), (x, gamma, beta)))
    for t, d in ((2560, 20000), (36864, 144)):
        x = torch.randn(t, d)
        measure(f"softmax/{t}/{d}", seconds, lambda: F.softmax(x, -1))
    x = torch.randn(36864, 128)
    measure("gelu/36864/128", seconds, lambda: F.gelu(x))
    measure("dropout/36864/128", seconds, lambda: F.dropout(x, 0.1, True))
    for t, vocabulary, d in ((7168, 20000, 32), (10080, 20000, 256)):
        table, ids = torch.randn(vocabulary, d, requires_grad=True), torch.arange(t) ** 2 % vocabulary
        measure(f"embedding/{t}/{vocabulary}/{d}", seconds, lambda: F.embedding(ids, table))
        y = F.embedding(ids, table)
        measure(f"embedding_backward/{t}/{vocabulary}/{d}", seconds, backward(y, torch.randn_like(y), (table,)))
    n = 20_000_000
    for name, kind, settings in (
        ("rmsprop", torch.optim.RMSprop, {"alpha": 0.9, "eps": 1e-7}),
        ("adam", torch.optim.Adam, {"betas": (0.9, 0.98), "eps": 1e-9}),
        ("sgd", torch.optim.SGD, {"momentum": 0.9}),
    ):
        w = torch.randn(n, requires_grad=True)
        w.grad = torch.randn(n)
        measure(f"{name}/{n}", seconds, kind([w], lr=1e-4, **settings).step)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    products(options.seconds)
    attention(options.seconds)
    passes(options.seconds)


if __name__ == "__main__":
    main()
