"""Makes six files beside this one by PyTorch (2.13), one text or image at a time: torch/convolution.safetensors, depthwise convolutions alone;
torch/convolution-translation.safetensors, a translator whose blocks mix by convolution; torch/image-convolution.safetensors, a model
of images with such blocks; torch/image-mixer.safetensors, one whose blocks mix by a perceptron over the patches;
torch/text-mixer.safetensors and torch/text-mixer-padded.safetensors, a classifier that does the same over the positions of texts.

    python make_mixing.py
"""

import torch
import torch.nn.functional as F

from torch_model import Weights, feed_forward, linear, norm, save, write

WIDTH, INNER_WIDTH, EPSILON = 6, 10, 1e-3


def make_convolution():
    """Over a line of 15 tokens, and over the same as 3 rows of 5, as many groups as columns."""
    draw = Weights(21).draw
    x, dy = draw(15, WIDTH), draw(15, WIDTH)
    tensors = {"x": x, "dy": dy}
    for name, convolution, padding, places, taps in (("line/", F.conv1d, 2, (15,), (5,)), ("image/", F.conv2d, 1, (3, 5), (3, 3))):
        read = x.T.reshape(1, WIDTH, *places).requires_grad_()
        kernel = draw(WIDTH, 1, *taps).requires_grad_()
        y = convolution(read, kernel, padding=padding, groups=WIDTH)
        y.backward(dy.T.reshape(y.shape))
        rows = lambda v: v.reshape(WIDTH, -1).T  # tokens or taps, then columns
        tensors |= {name + "w": rows(kernel), name + "y": rows(y), name + "dx": rows(read.grad), name + "dw": rows(kernel.grad)}
    save("convolution", tensors)


TAPS, HEADS, LENGTH, SOURCE_VOCABULARY, TARGET_VOCABULARY = 5, 2, 8, 11, 13
PAIRS = [([4, 9, 2, 7, 4, 10, 5], [1, 5, 12, 2]), ([8, 3], [1, 6, 6, 11, 4, 9, 3, 2])]  # targets with start and end


def convolution_mixing(w, name, x, is_causal):
    """Depthwise, then pointwise (Chollet 2017); of a causal one the last tap is the token itself."""
    before, after = (TAPS - 1, 0) if is_causal else (TAPS // 2, TAPS // 2)
    kernel = w(name + ".depthwise.weight", TAPS, WIDTH).T[:, None, :]
    y = F.conv1d(F.pad(x.T[None], (before, after)), kernel, groups=WIDTH)
    return linear(w, name + ".pointwise", y[0].T, WIDTH)


def cross_attention(w, name, x, memory):
    """Vaswani et al. 2017, section 3.2.2."""
    shape = HEADS, WIDTH // HEADS
    project = lambda part, v: torch.tensordot(v, w(f"{name}.{part}.weight", WIDTH, *shape), 1) + w(f"{name}.{part}.bias", *shape)
    query, key, value = project("query", x), project("key", memory), project("value", memory)
    weights = torch.softmax(torch.einsum("thk,shk->hts", query, key) / shape[1] ** 0.5, dim=2)
    output = torch.einsum("hts,shk,hkd->td", weights, value, w(name + ".output.weight", *shape, WIDTH))
    return output + w(name + ".output.bias", WIDTH), weights


def embed(w, name, ids, vocabulary, length):
    return w(name + ".tokens", vocabulary, WIDTH)[ids] + w(name + ".positions", length, WIDTH)[: len(ids)]


def translate(w, source, target):
    """Post-norm, one block on each side."""
    x = embed(w, "source_embedding", source, SOURCE_VOCABULARY, LENGTH)
    x = norm(w, "encoder.0.mixing_norm", x + convolution_mixing(w, "encoder.0.convolution", x, is_causal=False), EPSILON)
    memory = norm(w, "encoder.0.feed_forward_norm", x + feed_forward(w, "encoder.0.feed_forward", x, INNER_WIDTH, F.gelu), EPSILON)
    x = embed(w, "target_embedding", target, TARGET_VOCABULARY, LENGTH)
    x = norm(w, "decoder.0.mixing_norm", x + convolution_mixing(w, "decoder.0.convolution", x, is_causal=True), EPSILON)
    found, weights = cross_attention(w, "decoder.0.cross_attention", x, memory)
    x = norm(w, "decoder.0.cross_attention_norm", x + found, EPSILON)
    x = norm(w, "decoder.0.feed_forward_norm", x + feed_forward(w, "decoder.0.feed_forward", x, INNER_WIDTH, F.gelu), EPSILON)
    return memory, weights, linear(w, "head", x, TARGET_VOCABULARY)


def make_translation():
    w = Weights(22)
    inputs, outputs, memories, logits, labels = {}, {}, [], [], []
    for i, (source, target) in enumerate(PAIRS):
        inputs[f"source_{i}"], inputs[f"target_{i}"] = source, target
        memory, outputs[f"cross_0_{i}"], of_pair = translate(w, source, target[:-1])
        memories.append(memory)
        logits.append(of_pair)
        labels += target[1:]
    outputs |= {"memory": torch.cat(memories), "logits": torch.cat(logits)}
    outputs["loss"] = F.cross_entropy(outputs["logits"], torch.tensor(labels))
    write("convolution-translation", {}, w, inputs, outputs)


ROWS, COLUMNS, PATCH, SIDE, CLASSES, LABELS = 3, 5, 2, 3, 3, [2, 0, 1]


def embed_patches(w, image):
    patches = image.reshape(ROWS, PATCH, COLUMNS, PATCH).transpose(1, 2).reshape(ROWS * COLUMNS, PATCH * PATCH)
    return linear(w, "embedding.patch", patches, WIDTH)


def convolve_image(w, image):
    """One post-norm block, the mean of the patches."""
    x = embed_patches(w, image) + w("embedding.positions", ROWS * COLUMNS, WIDTH)
    kernel = w("encoder.0.convolution.depthwise.weight", SIDE * SIDE, WIDTH).T.reshape(WIDTH, 1, SIDE, SIDE)
    mixed = F.conv2d(x.T.reshape(1, WIDTH, ROWS, COLUMNS), kernel, padding=SIDE // 2, groups=WIDTH).reshape(WIDTH, -1).T
    x = norm(w, "encoder.0.mixing_norm", x + linear(w, "encoder.0.convolution.pointwise", mixed, WIDTH), EPSILON)
    x = norm(w, "encoder.0.feed_forward_norm", x + feed_forward(w, "encoder.0.feed_forward", x, INNER_WIDTH, F.gelu), EPSILON)
    return linear(w, "head", x.mean(dim=0), CLASSES)


def make_images(name, seed, classify_image):
    w = Weights(seed)
    images = w.draw(len(LABELS), ROWS * PATCH, COLUMNS * PATCH)
    logits = torch.stack([classify_image(w, image) for image in images])
    write(name, {}, w, {"images": images, "labels": LABELS}, {"logits": logits, "loss": F.cross_entropy(logits, torch.tensor(LABELS))})


POSITIONS, MIXING_WIDTH, BLOCKS = 7, 4, 2
TEXTS = [[4, 9, 2, 7, 4, 10, 5], [8, 3, 1, 6], [7]]


def token_mixing(w, name, x, positions):
    """MLP-Mixer (Tolstikhin et al. 2021, section 2): each column by itself over all positions, of which those without a token are zero."""
    columns = F.pad(x, (0, 0, 0, positions - len(x))).T
    hidden = F.gelu(linear(w, name + ".inner", columns, MIXING_WIDTH))
    return linear(w, name + ".outer", hidden, positions).T[: len(x)]


def mix(w, x, positions):
    """What pre-norm blocks return, and the logits of the mean of the tokens."""
    for block in range(BLOCKS):
        at = f"encoder.{block}."
        x = x + token_mixing(w, at + "token_mixing", norm(w, at + "mixing_norm", x, EPSILON), positions)
        x = x + feed_forward(w, at + "feed_forward", norm(w, at + "feed_forward_norm", x, EPSILON), INNER_WIDTH, F.gelu)
    return x, linear(w, "head", norm(w, "encoder.norm", x, EPSILON).mean(dim=0), CLASSES)


def mix_image(w, image):
    """Without positions: each patch has weights of its own."""
    return mix(w, embed_patches(w, image), ROWS * COLUMNS)[1]


def make_classifier(name, is_padded):
    """Padding: id 0 up to the last position, a token as others are."""
    w = Weights(23)
    texts = [ids + [0] * (POSITIONS - len(ids)) if is_padded else ids for ids in TEXTS]
    results = [mix(w, embed(w, "embedding", ids, SOURCE_VOCABULARY, POSITIONS), POSITIONS) for ids in texts]
    logits = torch.stack([of_text for _, of_text in results])
    outputs = {"blocks": torch.cat([x for x, _ in results]), "logits": logits, "loss": F.cross_entropy(logits, torch.tensor(LABELS))}
    inputs = {"labels": LABELS} | {f"ids_{i}": ids for i, ids in enumerate(TEXTS)}
    write(name, {"padding": "attended" if is_padded else "none"}, w, inputs, outputs)


make_convolution()
make_translation()
make_images("image-convolution", 24, convolve_image)
make_images("image-mixer", 25, mix_image)
make_classifier("text-mixer", is_padded=False)
make_classifier("text-mixer-padded", is_padded=True)
