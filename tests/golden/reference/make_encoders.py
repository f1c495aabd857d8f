"""Makes the folders distilbert, roberta, and of each NAME-classifier and NAME-masked-lm beside this file: small models with random weights
by transformers (5.24), and what it computes of some ids.

    python make_encoders.py
"""

import os

import torch
from safetensors.torch import save_file
from transformers import (
    DistilBertConfig,
    DistilBertForMaskedLM,
    DistilBertForSequenceClassification,
    DistilBertModel,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaForSequenceClassification,
    RobertaModel,
)

HERE = os.path.dirname(os.path.abspath(__file__))
LABELS = {"id2label": {0: "no", 1: "maybe", 2: "yes"}, "label2id": {"no": 0, "maybe": 1, "yes": 2}}


def write(name, model, ids):
    for parameter in model.parameters():  # biases and norms begin as zeros and ones, which would hide a mistake
        torch.nn.init.normal_(parameter, std=0.3)
    model.eval()
    model.config._attn_implementation = "eager"
    folder = os.path.join(HERE, name)
    model.save_pretrained(folder)
    with torch.no_grad():
        out = model(input_ids=ids, output_attentions=True, output_hidden_states=True)
    expected = {"ids": ids[0], "hidden": out.hidden_states[-1][0]}
    for layer, attention in enumerate(out.attentions):
        expected[f"attention_{layer}"] = attention[0]
    if "logits" in out:
        expected["logits"] = out.logits[0]
    save_file({key: value.contiguous() for key, value in expected.items()}, os.path.join(folder, "expected.safetensors"))


torch.manual_seed(38)
distilbert = dict(vocab_size=31, max_position_embeddings=14, dim=12, n_layers=2, n_heads=2, hidden_dim=20)
roberta = dict(
    vocab_size=31, max_position_embeddings=16, hidden_size=12, num_hidden_layers=2, num_attention_heads=2, intermediate_size=20, type_vocab_size=1
)
ids = torch.tensor([[0, 9, 30, 5, 17, 5, 22, 8, 29, 11, 2]])
eager = dict(attn_implementation="eager")
write("distilbert", DistilBertModel(DistilBertConfig(**distilbert, **eager)), ids)
write("distilbert-classifier", DistilBertForSequenceClassification(DistilBertConfig(**distilbert, **LABELS, **eager)), ids)
write("roberta", RobertaModel(RobertaConfig(**roberta, **eager)), ids)
write("roberta-classifier", RobertaForSequenceClassification(RobertaConfig(**roberta, **LABELS, **eager)), ids)
write("distilbert-masked-lm", DistilBertForMaskedLM(DistilBertConfig(**distilbert, **eager)), ids)
write("roberta-masked-lm", RobertaForMaskedLM(RobertaConfig(**roberta, **eager)), ids)
