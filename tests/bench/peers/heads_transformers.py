"""What the heads of a model look at, over the lines of a text, by Hugging Face's transformers with output_attentions=True: the means of
attn-dump --view heads, summed up in PyTorch batch by batch. MODEL is an encoder in BERT's layout, or with --target, whose lines are what the
decoder reads, a translator of `train`, whose weights go into transformers' MarianModel.

Writes CSV (kind, layer, head, previous, next, same, first, separator, entropy, distance) to --output, and prints seconds on the clock, seconds
of the processor and the batch size, separated by TABs. The batch size is the one of --batches that makes 200 of the lines fastest; the model
is loaded before.
"""

import argparse
import json
import os
import time

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer, MarianConfig, MarianModel


class Sums:
    """Sums over the queries, for all heads of one kind."""

    def __init__(self):
        self.total = 0
        self.queries = 0

    def add(self, attentions, query_is_real, key_is_separator):
        """attentions: of each layer [B, H, Q, K]; query_is_real [B, Q]; key_is_separator [B, K]."""
        queries, keys = attentions[0].shape[2:]
        apart = (torch.arange(queries)[:, None] - torch.arange(keys)[None, :]).abs().float()
        query = query_is_real[:, None, :].float()
        self.queries += int(query_is_real.sum())

        def at_offset(weights, offset):  # the weight of the key `offset` places after each query, 0 where there is none
            diagonal, before = torch.diagonal(weights, offset, 2, 3), max(-offset, 0)
            return torch.nn.functional.pad(diagonal, (before, queries - before - diagonal.shape[-1]))

        layers = []
        for weights in attentions:
            rows = [
                at_offset(weights, -1),
                at_offset(weights, 1),
                at_offset(weights, 0),
                weights[:, :, :, 0],
                (weights * key_is_separator[:, None, None, :]).sum(3),
                -torch.special.xlogy(weights, weights).sum(3),
                (weights * apart).sum(3),
            ]
            layers.append(torch.stack([(row * query).sum((0, 2)) for row in rows], 1).double())
        self.total = self.total + torch.stack(layers)

    def means(self):
        return (self.total / self.queries).tolist()


class Encoder:
    def __init__(self, directory):
        self.tokenizer = AutoTokenizer.from_pretrained(directory)
        self.model = AutoModel.from_pretrained(directory, attn_implementation="eager").eval()

    def add(self, sums, lines):
        some = self.tokenizer([line for line, _ in lines], return_tensors="pt", padding=True, truncation=True)
        attentions = self.model(**some, output_attentions=True).attentions
        real = some["attention_mask"].bool()
        ids = some["input_ids"]
        sums["encoder"].add(attentions, real, ((ids == self.tokenizer.cls_token_id) | (ids == self.tokenizer.sep_token_id)) & real)


class Translator:
    """A translator of `train` with post-norm blocks and learned positions. Heads may be wider than width / heads, which MarianConfig cannot say:
    the projections of MarianAttention are put in place as wide as they are, and so are the positions."""

    def __init__(self, directory):
        with open(os.path.join(directory, "config.json"), encoding="utf-8") as file:
            ours = json.load(file)
        if (ours["norm"], ours["positions"], ours["mixing"], ours["share_embeddings"]) != ("post", "learned", "attention", "none"):
            raise SystemExit(f"{directory}: no translator with post-norm, learned positions and tables of its own")
        self.length, self.start, self.pad = ours["length"], ours["decoder_start_token_id"], ours["pad_token_id"]
        self.tokenizers = [Tokenizer.from_file(os.path.join(directory, f"{side}-tokenizer.json")) for side in ("source", "target")]
        config = MarianConfig(
            vocab_size=ours["source_vocabulary_size"],
            decoder_vocab_size=ours["target_vocabulary_size"],
            share_encoder_decoder_embeddings=False,
            d_model=ours["width"],
            encoder_layers=ours["encoder_layers"],
            decoder_layers=ours["decoder_layers"],
            encoder_attention_heads=ours["heads"],
            decoder_attention_heads=ours["heads"],
            encoder_ffn_dim=ours["feed_forward_width"],
            decoder_ffn_dim=ours["feed_forward_width"],
            activation_function=ours["activation"],
            scale_embedding=ours["scale_embedding"],
            max_position_embeddings=ours["length"],
            pad_token_id=self.pad,
            attn_implementation="eager",
        )
        self.model = MarianModel(config).eval()
        self.tensors = load_file(os.path.join(directory, "model.safetensors"))
        for side, stack in (("source", self.model.encoder), ("target", self.model.decoder)):
            stack.embed_tokens.weight = self.taken(f"{side}_embedding.tokens")
            stack.embed_positions.weight = self.taken(f"{side}_embedding.positions")
            for i, layer in enumerate(stack.layers):
                self.fill(layer, f"{'encoder' if side == 'source' else 'decoder'}.{i}", ours)
        if left := sorted(name for name in self.tensors if not name.startswith("head.")):
            raise SystemExit(f"{directory}: {left[0]} has no place in MarianModel")

    def taken(self, name):
        return torch.nn.Parameter(self.tensors.pop(name), requires_grad=False)

    def linear(self, name, inputs, outputs):
        layer = torch.nn.Linear(inputs, outputs)
        layer.weight = torch.nn.Parameter(self.tensors.pop(name + ".weight").reshape(inputs, outputs).T.contiguous(), requires_grad=False)
        layer.bias = torch.nn.Parameter(self.tensors.pop(name + ".bias").reshape(outputs), requires_grad=False)
        return layer

    def norm(self, layer, name, epsilon):
        layer.weight, layer.bias, layer.eps = self.taken(name + ".gamma"), self.taken(name + ".beta"), epsilon

    def fill(self, layer, name, ours):
        width, inner, epsilon = ours["width"], ours["feed_forward_width"], ours["norm_epsilon"]
        head_width = ours["head_width"] or width // ours["heads"]
        wide = ours["heads"] * head_width
        parts = [("self_attention", layer.self_attn, layer.self_attn_layer_norm)]
        if hasattr(layer, "encoder_attn"):
            parts.append(("cross_attention", layer.encoder_attn, layer.encoder_attn_layer_norm))
        for part, attention, norm in parts:
            attention.q_proj = self.linear(f"{name}.{part}.query", width, wide)
            attention.k_proj = self.linear(f"{name}.{part}.key", width, wide)
            attention.v_proj = self.linear(f"{name}.{part}.value", width, wide)
            attention.out_proj = self.linear(f"{name}.{part}.output", wide, width)
            attention.head_dim, attention.scaling = head_width, head_width**-0.5
            self.norm(norm, f"{name}.{part}_norm", epsilon)
        layer.fc1 = self.linear(f"{name}.feed_forward.inner", width, inner)
        layer.fc2 = self.linear(f"{name}.feed_forward.outer", inner, width)
        self.norm(layer.final_layer_norm, f"{name}.feed_forward_norm", epsilon)

    def padded(self, rows):
        longest = max(map(len, rows))
        ids = torch.tensor([row + [self.pad] * (longest - len(row)) for row in rows])
        return ids, torch.arange(longest)[None, :] < torch.tensor([len(row) for row in rows])[:, None]

    def add(self, sums, lines):
        source, target = (
            [encoding.ids for encoding in tokenizer.encode_batch([line[i] for line in lines], add_special_tokens=False)]
            for i, tokenizer in enumerate(self.tokenizers)
        )
        kept = [i for i, ids in enumerate(source) if ids]  # a text without tokens has no weights
        sources, source_is_real = self.padded([source[i][: self.length] for i in kept])
        targets, target_is_real = self.padded([([self.start] + target[i])[: self.length] for i in kept])
        out = self.model(
            input_ids=sources,
            attention_mask=source_is_real.long(),
            decoder_input_ids=targets,
            decoder_attention_mask=target_is_real.long(),
            output_attentions=True,
            use_cache=False,
        )
        nowhere = torch.zeros_like(source_is_real)
        sums["encoder"].add(out.encoder_attentions, source_is_real, nowhere)
        sums["decoder"].add(out.decoder_attentions, target_is_real, targets == self.start)
        sums["cross"].add(out.cross_attentions, target_is_real, nowhere)


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--target")
    parser.add_argument("--batches", default="8,16,32,64")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", required=True)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    texts = read_lines(args.text)
    lines = list(zip(texts, read_lines(args.target) if args.target else texts, strict=True))
    lines.sort(key=lambda line: len(line[0]) + len(line[1]))  # lines of like length together
    model = (Translator if args.target else Encoder)(args.model)

    def timed(some, batch):
        begin, busy = time.perf_counter(), time.process_time()
        sums = {kind: Sums() for kind in (("encoder", "decoder", "cross") if args.target else ("encoder",))}
        with torch.inference_mode():
            for first in range(0, len(some), batch):
                model.add(sums, some[first : first + batch])
        means = {kind: of_kind.means() for kind, of_kind in sums.items()}
        return time.perf_counter() - begin, time.process_time() - busy, batch, means

    timed(lines[:64], 16)  # pages and caches
    few = lines[:: max(1, len(lines) // 200)]
    batch = min(timed(few, batch)[1:3] for batch in map(int, args.batches.split(",")))[1]
    seconds, busy, _, means = timed(lines, batch)
    with open(args.output, "w", encoding="utf-8") as file:
        for kind, layers in means.items():
            for layer, heads in enumerate(layers):
                for head, figures in enumerate(heads):
                    print(kind, layer, head, *figures, sep=",", file=file)
    print(f"{seconds:.3f}\t{busy:.3f}\t{batch}")


if __name__ == "__main__":
    main()
