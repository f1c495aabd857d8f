"""What the scripts share that make torch/*.safetensors: weights drawn under our names, layers that many models have, and the file.

Weights are single precision, as they are saved, and what is computed of them is double.
"""

import json
import os

import numpy as np
import torch
from safetensors.numpy import save_file

HERE = os.path.dirname(os.path.abspath(__file__))


class Weights:
    """w(name, *shape): the parameter of this name, drawn when it is asked for first; of a norm's gamma around 1."""

    def __init__(self, seed, scale=0.7):
        self.random = np.random.default_rng(seed)
        self.scale = scale
        self.tensors = {}

    def draw(self, *shape, scale=1.0, mean=0.0):
        values = (mean + scale * self.random.normal(size=shape)).astype(np.float32)
        return torch.tensor(values, dtype=torch.float64)

    def __call__(self, name, *shape):
        if name not in self.tensors:
            is_gamma = name.endswith(".gamma")
            self.tensors[name] = self.draw(*shape, scale=0.3 if is_gamma else self.scale, mean=1.0 if is_gamma else 0.0).requires_grad_()
        assert self.tensors[name].shape == shape, name
        return self.tensors[name]


def linear(w, name, x, outputs):
    return x @ w(name + ".weight", x.shape[-1], outputs) + w(name + ".bias", outputs)


def norm(w, name, x, epsilon):
    width = x.shape[-1]
    return torch.nn.functional.layer_norm(x, [width], w(name + ".gamma", width), w(name + ".beta", width), epsilon)


def feed_forward(w, name, x, inner_width, activation):
    return linear(w, name + ".outer", activation(linear(w, name + ".inner", x, inner_width)), x.shape[-1])


def save(name, tensors, settings=None):
    """Single precision and 32-bit integers."""
    narrow = lambda v: v.numpy().astype(np.float32 if v.is_floating_point() else np.int32)
    save_file(
        {key: np.ascontiguousarray(narrow(torch.as_tensor(value).detach())) for key, value in tensors.items()},
        os.path.join(HERE, "torch", name + ".safetensors"),
        metadata=settings and {"settings": json.dumps(settings)},
    )


def write(name, settings, w, inputs, outputs, gradients="loss/gradient/"):
    """outputs["loss"]: the loss, a number; its gradients go into the folder `gradients` of the file."""
    outputs["loss"].backward()
    tensors = {"inputs/" + key: value for key, value in inputs.items()}
    tensors |= {"outputs/" + key: value.reshape(value.shape or (1,)) for key, value in outputs.items()}
    for key, value in w.tensors.items():
        tensors |= {"weights/" + key: value, gradients + key: value.grad}
    save(name, tensors, settings)
