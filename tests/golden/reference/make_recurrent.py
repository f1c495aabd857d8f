"""Makes keras/recurrent.safetensors beside this file: the LSTM and both GRUs of Keras (3.15, on PyTorch) over two sequences of nine tokens,
forward and backward in time, from given states; results and gradients.

    KERAS_BACKEND=torch python make_recurrent.py
"""

import os

import keras
import numpy as np
import torch
from safetensors.numpy import save_file

HERE = os.path.dirname(os.path.abspath(__file__))
SEQUENCES, TOKENS, INPUTS, WIDTH = 2, 9, 5, 6
CELLS = {
    "lstm": lambda **more: keras.layers.LSTM(WIDTH, **more),
    "gru": lambda **more: keras.layers.GRU(WIDTH, reset_after=True, **more),
    "gru_reset_before": lambda **more: keras.layers.GRU(WIDTH, reset_after=False, **more),
}

random = np.random.default_rng(7)
draw = lambda *shape: random.normal(size=shape).astype(np.float32)
x, dy = draw(SEQUENCES, TOKENS, INPUTS), draw(SEQUENCES, TOKENS, WIDTH)
tensors = {"x": x.reshape(-1, INPUTS), "dy": dy.reshape(-1, WIDTH)}
for name, cell in CELLS.items():
    for direction in ("forward", "backward"):
        layer = cell(return_sequences=True, go_backwards=direction == "backward")
        layer.build(x.shape)
        weights = [draw(*w.shape) * 0.5 for w in layer.get_weights()]
        layer.set_weights(weights)
        states = [draw(SEQUENCES, WIDTH) for _ in range(2 if name == "lstm" else 1)]
        inputs = [torch.tensor(v, requires_grad=True) for v in [x, *states]]
        y = layer(inputs[0], initial_state=inputs[1:])
        if direction == "backward":  # Keras leaves the results in the order in which tokens were read
            y = torch.flip(y, dims=[1])
        (y * torch.tensor(dy)).sum().backward()
        at = f"{name}/{direction}/"
        tensors[at + "y"] = y.detach().numpy().reshape(-1, WIDTH)
        for part, weight, variable in zip(("kernel", "recurrent_kernel", "bias"), weights, layer.weights):
            tensors[at + part] = weight
            tensors[at + "d" + part] = variable.value.grad.numpy()
        tensors[at + "initial"] = np.concatenate(states, axis=1)
        tensors[at + "dinitial"] = np.concatenate([v.grad.numpy() for v in inputs[1:]], axis=1)
        tensors[at + "dx"] = inputs[0].grad.numpy().reshape(-1, INPUTS)
save_file({key: np.ascontiguousarray(value) for key, value in tensors.items()}, os.path.join(HERE, "keras", "recurrent.safetensors"))
