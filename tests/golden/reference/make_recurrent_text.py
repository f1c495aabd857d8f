"""Makes torch/recurrent-classifier.safetensors, two layers of LSTMs in both directions, and torch/recurrent-language-model.safetensors, two
layers of the GRU of its paper, beside this file by PyTorch (2.13), text by text.

    python make_recurrent_text.py
"""

import torch
import torch.nn.functional as F

from torch_model import Weights, linear, write

WIDTH, LAYERS, VOCABULARY, CLASSES = 6, 2, 11, 3
TEXTS, LABELS = [[4, 9, 2, 7, 4, 10, 5], [8, 3, 1, 6], [7]], [2, 0, 1]


def lstm(w, name, x, directions):
    """torch.nn.LSTM over one text, whose gates i, f, g, o are ours; the states of all directions added."""
    layer = torch.nn.LSTM(x.shape[1], WIDTH, bidirectional=len(directions) == 2, dtype=torch.float64)
    weights = {}
    for direction, suffix in zip(directions, ("", "_reverse")):
        at = f"{name}.{direction}"
        weights |= {
            f"weight_ih_l0{suffix}": w(at + ".input.weight", x.shape[1], 4 * WIDTH).T,
            f"bias_ih_l0{suffix}": w(at + ".input.bias", 4 * WIDTH),
            f"weight_hh_l0{suffix}": w(at + ".recurrent.weight", WIDTH, 4 * WIDTH).T,
            f"bias_hh_l0{suffix}": torch.zeros(4 * WIDTH, dtype=torch.float64),
        }
    states, _ = torch.func.functional_call(layer, weights, (x,))
    return sum(states.split(WIDTH, dim=1))


def gru(w, name, x):
    """Cho et al. 2014, equations 5 to 8: the reset gate acts on the state, before the product with it."""
    update, reset, new = linear(w, name + ".input", x, 3 * WIDTH).split(WIDTH, dim=1)
    of_update, of_reset, of_new = w(name + ".recurrent.weight", WIDTH, 3 * WIDTH).split(WIDTH, dim=1)
    state, states = torch.zeros(WIDTH, dtype=torch.float64), []
    for z, r, h in zip(update, reset, new):
        kept = torch.sigmoid(z + state @ of_update)
        candidate = torch.tanh(h + (torch.sigmoid(r + state @ of_reset) * state) @ of_new)
        state = kept * state + (1 - kept) * candidate
        states.append(state)
    return torch.stack(states)


def make_classifier():
    w = Weights(31)
    logits = []
    for ids in TEXTS:
        x = w("embedding.tokens", VOCABULARY, WIDTH)[ids]
        for layer in range(LAYERS):
            x = lstm(w, f"encoder.{layer}.recurrent", x, ("forward", "backward"))
        logits.append(linear(w, "head", x.mean(dim=0), CLASSES))
    logits = torch.stack(logits)
    inputs = {"labels": LABELS} | {f"ids_{i}": ids for i, ids in enumerate(TEXTS)}
    write("recurrent-classifier", {}, w, inputs, {"logits": logits, "loss": F.cross_entropy(logits, torch.tensor(LABELS))})


def make_language_model():
    """Every token but the first of a text is predicted."""
    w = Weights(32)
    texts = [ids for ids in TEXTS if len(ids) > 1]
    logits = []
    for ids in texts:
        x = w("embedding.tokens", VOCABULARY, WIDTH)[ids[:-1]]
        for layer in range(LAYERS):
            x = gru(w, f"decoder.{layer}.recurrent.forward", x)
        logits.append(linear(w, "head", x, VOCABULARY))
    logits = torch.cat(logits)
    labels = [token for ids in texts for token in ids[1:]]
    inputs = {f"ids_{i}": ids for i, ids in enumerate(texts)}
    write("recurrent-language-model", {}, w, inputs, {"logits": logits, "loss": F.cross_entropy(logits, torch.tensor(labels))})


make_classifier()
make_language_model()
