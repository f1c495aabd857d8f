"""Fine-tuning a published encoder with transformers, for tests/bench/finetuning.sh: the settings are those of finetuning.yaml. Prints
`accuracy<TAB>seconds of training`.

    python finetuning_transformers.py --model DIR --train FILE --test FILE --labels FILE [--seed 1] [--threads 2]

Files have a text, a tab and its label a line; batches are padded to their longest text. Needs torch and transformers.
"""

import argparse
import time

LENGTH, BATCH, EPOCHS, RATE, WARMUP = 256, 16, 3, 1e-4, 8


def examples(path, labels, tokenizer):
    with open(path, encoding="utf-8", newline="\n") as lines:
        pairs = [line.rstrip("\n").split("\t") for line in lines]
    ids = tokenizer([text for text, _ in pairs], truncation=True, max_length=LENGTH)["input_ids"]
    return [(i, labels.index(label)) for i, (_, label) in zip(ids, pairs)]


def batch_of(chosen):
    import torch

    longest = max(len(ids) for ids, _ in chosen)
    ids = torch.tensor([ids + [0] * (longest - len(ids)) for ids, _ in chosen])
    mask = torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids, _ in chosen])
    return {"input_ids": ids, "attention_mask": mask}, torch.tensor([label for _, label in chosen])


def optimizer_of(model, torch):
    matrices, others = [], []
    for name, weight in model.named_parameters():
        (matrices if weight.dim() == 2 and "embeddings" not in name else others).append(weight)
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=RATE, eps=1e-8)


def main():
    parser = argparse.ArgumentParser()
    for name in ("model", "train", "test", "labels"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()

    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_linear_schedule_with_warmup

    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    with open(options.labels, encoding="utf-8") as lines:
        labels = lines.read().split("\n")[:-1]
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    model = AutoModelForSequenceClassification.from_pretrained(options.model, num_labels=len(labels))
    train = examples(options.train, labels, tokenizer)
    optimizer = optimizer_of(model, torch)
    steps = -(-len(train) // BATCH)
    schedule = get_linear_schedule_with_warmup(optimizer, WARMUP, EPOCHS * steps)
    model.train()
    begin = time.perf_counter()
    for _ in range(EPOCHS):
        order = torch.randperm(len(train)).tolist()
        for at in range(0, len(train), BATCH):
            inputs, wanted = batch_of([train[i] for i in order[at : at + BATCH]])
            torch.nn.functional.cross_entropy(model(**inputs).logits, wanted).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    seconds = time.perf_counter() - begin

    model.eval()
    test = sorted(examples(options.test, labels, tokenizer), key=lambda example: len(example[0]))
    right = 0
    with torch.no_grad():
        for at in range(0, len(test), 32):
            inputs, wanted = batch_of(test[at : at + 32])
            right += (model(**inputs).logits.argmax(1) == wanted).sum().item()
    print(f"{right / len(test)}\t{seconds}")


if __name__ == "__main__":
    main()
