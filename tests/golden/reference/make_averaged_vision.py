"""Makes torch/averaged-vision.safetensors beside this file: the model of mnist-vit-source in small, head by head and image by image
(PyTorch 2.13).

    python make_averaged_vision.py
"""

import torch
import torch.nn.functional as F

from torch_model import Weights, feed_forward, linear, norm, write

WIDTH, HEADS, BLOCKS, CLASSES, HIDDEN_WIDTH = 6, 3, 2, 4, 5
SIZE, PATCH, EPSILON = 6, 2, 1e-3
LABELS = [3, 0, 2]


def averaged_attention(w, name, x):
    """The mean over heads as wide as the model: no values and no biases, GELU on queries and keys, a map of each head's result."""
    query, key = w(name + ".query.weight", WIDTH, HEADS, WIDTH), w(name + ".key.weight", WIDTH, HEADS, WIDTH)
    output = w(name + ".output.weight", HEADS, WIDTH, WIDTH)
    results, weights = [], []
    for head in range(HEADS):
        scores = F.gelu(x @ query[:, head]) @ F.gelu(x @ key[:, head]).T
        weights.append(torch.softmax(scores / WIDTH**0.5, dim=1))
        results.append(weights[-1] @ x @ output[head])
    return torch.stack(results).mean(dim=0), torch.stack(weights)


def classify(w, image):
    """A class token before the patches, which alone have positions; pre-norm blocks, no norm after them; a dense layer with GELU."""
    patches = [image[row : row + PATCH, column : column + PATCH].flatten() for row in range(0, SIZE, PATCH) for column in range(0, SIZE, PATCH)]
    x = linear(w, "embedding.patch", torch.stack(patches), WIDTH) + w("embedding.positions", len(patches), WIDTH)
    x = torch.cat([w("embedding.class_token", WIDTH)[None], x])
    attention = []
    for block in range(BLOCKS):
        at = f"encoder.{block}."
        mixed, weights = averaged_attention(w, at + "self_attention", norm(w, at + "self_attention_norm", x, EPSILON))
        attention.append(weights)
        x = x + mixed
        x = x + feed_forward(w, at + "feed_forward", norm(w, at + "feed_forward_norm", x, EPSILON), WIDTH, F.gelu)
    return linear(w, "head", F.gelu(linear(w, "hidden.0", x[0], HIDDEN_WIDTH)), CLASSES), attention


def make():
    w = Weights(50, scale=0.5)
    images = w.draw(len(LABELS), SIZE, SIZE, scale=0.6)
    results = [classify(w, image) for image in images]
    logits = torch.stack([of_image for of_image, _ in results])
    outputs = {"logits": logits, "loss": F.cross_entropy(logits, torch.tensor(LABELS))}
    for block in range(BLOCKS):
        outputs[f"attention_{block}"] = torch.stack([attention[block] for _, attention in results])
    settings = {"heads": HEADS, "blocks": BLOCKS, "patch": PATCH, "norm_epsilon": EPSILON}
    write("averaged-vision", settings, w, {"images": images, "labels": LABELS}, outputs, gradients="gradients/")


if __name__ == "__main__":
    make()
