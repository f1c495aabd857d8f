"""Makes torch/recurrent-translation.safetensors and torch/recurrent-attention.safetensors beside this file: the translators of spa-eng-gru and
spa-eng-gru-attention in small, two layers on each side, pair by pair on torch.nn.GRU (PyTorch 2.13).

    python make_recurrent_translation.py
"""

import torch

from torch_model import Weights, linear, write

WIDTH, EMBEDDING_WIDTH, LAYERS = 6, 4, 2
SOURCE_VOCABULARY, TARGET_VOCABULARY = 11, 13
PAIRS = [([4, 9, 2, 7, 4, 10], [1, 5, 12, 2]), ([8, 3], [1, 6, 6, 11, 4, 9, 2])]  # targets with start and end


def gru(w, name, x, initial, *directions):
    """Over one sequence: the states after its tokens and the last ones, those of two directions added."""
    layer = torch.nn.GRU(x.shape[1], WIDTH, bidirectional=len(directions) == 2, dtype=torch.float64)
    weights = {}
    for direction, suffix in zip(directions, ("", "_reverse")):
        at = f"{name}.{direction}"
        ours = {
            "weight_ih": w(at + ".input.weight", x.shape[1], 3 * WIDTH).T,
            "bias_ih": w(at + ".input.bias", 3 * WIDTH),
            "weight_hh": w(at + ".recurrent.weight", WIDTH, 3 * WIDTH).T,
            "bias_hh": w(at + ".recurrent.bias", 3 * WIDTH),
        }
        for part, value in ours.items():
            update, reset, new = value.split(WIDTH)  # Keras' order, which is ours; PyTorch begins with the reset gate
            weights[f"{part}_l0{suffix}"] = torch.cat([reset, update, new])
    states, last = torch.func.functional_call(layer, weights, (x, initial))
    return sum(states.split(WIDTH, dim=1)), last.sum(dim=0)


def additive_attention(w, name, states, memory):
    """Scores of Bahdanau et al. 2015 (appendix A.1.2), and the layer of state and context of Luong et al. 2015 (equation 5)."""
    query, key = states @ w(name + ".query.weight", WIDTH, WIDTH), memory @ w(name + ".key.weight", WIDTH, WIDTH)
    scores = torch.tanh(query[:, None, :] + key[None, :, :]) @ w(name + ".score.weight", WIDTH)
    weights = torch.softmax(scores, dim=1)
    both = torch.cat([states, weights @ memory], dim=1)
    return torch.tanh(linear(w, name + ".output", both, WIDTH)), weights


def translate(w, source, target, has_attention):
    found = {}
    x = w("source_embedding.tokens", SOURCE_VOCABULARY, EMBEDDING_WIDTH)[source]
    for layer in range(LAYERS):
        x, last = gru(w, f"encoder.{layer}.recurrent", x, None, "forward", "backward")
    found["memory"], found["last"] = memory, last = x, last
    x = w("target_embedding.tokens", TARGET_VOCABULARY, EMBEDDING_WIDTH)[target]
    for layer in range(LAYERS):
        x, _ = gru(w, f"decoder.{layer}.recurrent", x, last[None, :], "forward")
        if has_attention:
            found[f"states_{layer}"] = x
            x, found[f"cross_{layer}"] = additive_attention(w, f"decoder.{layer}.cross_attention", x, memory)
            found[f"attended_{layer}"] = x
    found["logits"] = linear(w, "head", x, TARGET_VOCABULARY)
    return found


def make(name, seed, has_attention):
    w = Weights(seed)
    inputs, pairs, labels = {}, [], []
    for i, (source, target) in enumerate(PAIRS):
        inputs[f"source_{i}"], inputs[f"target_{i}"] = source, target
        pairs.append(translate(w, source, target[:-1], has_attention))
        labels += target[1:]
    outputs = {}
    for key in pairs[0]:
        values = [pair[key] for pair in pairs]
        if key.startswith("cross"):  # [heads, target tokens, source tokens] of each pair
            outputs |= {f"{key}_{i}": value[None] for i, value in enumerate(values)}
        else:
            outputs[key] = torch.stack(values) if key == "last" else torch.cat(values)
    outputs["loss"] = torch.nn.functional.cross_entropy(outputs["logits"], torch.tensor(labels))
    write(name, {"embedding_width": EMBEDDING_WIDTH, "layers": LAYERS}, w, inputs, outputs)


make("recurrent-translation", 11, has_attention=False)
make("recurrent-attention", 12, has_attention=True)
