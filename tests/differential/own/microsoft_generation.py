"""Searches of com.microsoft, for each prompt separately. Every step runs the decoder on all tokens, without a cache."""

import numpy as np
from by_operator import own
from onnx import helper
from onnx.reference import ReferenceEvaluator

FORBIDDEN = np.finfo(np.float32).min
# The score that prevents all but one of a prompt's initial beams from being chosen.
UNLIKELY = np.float32(-1e9)


class Decoder:
    """Computes the logits that follow one prompt."""

    def __init__(self, configuration, row):
        self.attributes, self.outputs = configuration.attributes, {}
        self.ids, self.pad = configuration.inputs[0][row], self.attributes["pad_token_id"]
        attention = given(configuration, {"BeamSearch": 9}.get(configuration.schema.name, 6))
        self.mask = None if attention is None else attention[row]
        if "encoder" in self.attributes:
            self.encode()
        else:
            self.begun = list(self.ids)

    def encode(self):
        begun = np.cumsum(self.ids != self.pad) > 0
        self.mask = begun if self.mask is None else self.mask
        self.begun = [self.attributes["decoder_start_token_id"]]
        feeds = [self.ids[None], self.mask[None].astype(np.int32), np.array([self.begun], np.int32)]
        graph = self.attributes["encoder"]
        found = run(graph, dict(zip((entry.name for entry in graph.input), feeds)))
        self.outputs = {name.replace("present", "past"): value for name, value in found.items()}

    def logits(self, sequences):
        """Returns [rows, vocabulary]."""
        feeds = self.of_encoder(len(sequences)) if self.outputs else self.places(sequences)
        feeds["input_ids"] = sequences
        if "init_decoder" in self.attributes:
            begun = len(self.begun)
            feeds |= {name: value[:, :begun] for name, value in feeds.items()}
            found = self.run("init_decoder", feeds)
            if sequences.shape[1] > begun:
                feeds = {name: value[:, begun:] for name, value in self.places(sequences).items()}
                feeds |= {"input_ids": sequences[:, begun:], "attention_mask": self.places(sequences)["attention_mask"]}
                found = self.run("decoder", feeds | {f"past_{name[8:]}": value for name, value in found.items()})
        else:
            found = self.run("decoder", feeds)
        return found["logits"][:, -1].astype(np.float64)

    def of_encoder(self, rows):
        feeds = {name: np.repeat(value, rows, axis=0) for name, value in self.outputs.items() if "self" not in name}
        return feeds | {"encoder_attention_mask": np.tile(self.mask.astype(np.int32), (rows, 1))}

    def places(self, sequences):
        counts = sequences != self.pad
        counts[:, len(self.begun) :] = True
        positions = np.where(counts, np.cumsum(counts, axis=1) - 1, 0)
        if self.mask is not None:
            counts[:, : len(self.begun)] = self.mask
        return {"position_ids": positions.astype(np.int32), "attention_mask": counts.astype(np.int32)}

    def run(self, name, feeds):
        """Runs a body. Missing keys and values are empty."""
        graph, rows = self.attributes[name], len(feeds["input_ids"])
        for entry in graph.input:
            if entry.name not in feeds:
                dims = [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
                feeds[entry.name] = np.zeros([rows if i == len(dims) - 4 else n for i, n in enumerate(dims)], np.float32)
        return run(graph, feeds)


def run(graph, feeds):
    names = [entry.name for entry in graph.output]
    wanted = {entry.name for entry in graph.input}
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    found = ReferenceEvaluator(model).run(None, {name: value for name, value in feeds.items() if name in wanted})
    return dict(zip(names, found))


def given(configuration, i):
    return configuration.inputs[i] if i < len(configuration.inputs) else None


def number(configuration, i, default):
    value = given(configuration, i)
    return default if value is None else value.reshape(())[()]


class Rules:
    """The changes to scores."""

    def __init__(self, configuration, row):
        a, first = configuration.attributes, 6 if configuration.schema.name == "BeamSearch" else 3
        self.end, self.size = a["eos_token_id"], a.get("no_repeat_ngram_size", 0)
        self.least, self.penalty = number(configuration, 2, 0), float(number(configuration, first, 1))
        masks = given(configuration, first + 1), given(configuration, first + 2)
        self.mask, self.first_mask = masks[0], None if masks[1] is None else masks[1][row]
        self.temperature, presence = a.get("temperature", 1.0), given(configuration, 7)
        is_sampling = configuration.schema.name == "Sampling" and presence is not None
        self.presence = a.get("presence_penalty", 0.0) * presence[row] if is_sampling else 0.0

    def apply(self, scores, tokens, is_first):
        tokens = list(tokens)
        for token in set(tokens):
            scores[token] *= self.penalty if scores[token] < 0 else 1 / self.penalty
        for i in range(len(tokens) - self.size + 1 if self.size else 0):
            if tokens[i : i + self.size - 1] == tokens[len(tokens) - self.size + 1 :]:
                scores[tokens[i + self.size - 1]] = FORBIDDEN
        for mask in (self.mask, self.first_mask if is_first else None):
            if mask is not None:
                scores[mask == 0] = FORBIDDEN
        if len(tokens) < self.least:
            scores[self.end] = FORBIDDEN
        return np.maximum(scores / self.temperature, FORBIDDEN) - self.presence


@own("com.microsoft.GreedySearch", "com.microsoft.Sampling")
def most_probable(configuration):
    """Returns the results of Sampling when only one token is possible."""
    longest, pad = int(configuration.inputs[1][0]), configuration.attributes["pad_token_id"]
    results = np.full((len(configuration.inputs[0]), longest), pad)
    for row, result in enumerate(results):
        decoder, rules = Decoder(configuration, row), Rules(configuration, row)
        tokens = decoder.begun
        begun = len(tokens)
        while len(tokens) < longest:
            logits = decoder.logits(np.array([tokens], np.int32))[0]
            token = int(np.argmax(rules.apply(logits, tokens, len(tokens) == begun)))
            if token == configuration.attributes["eos_token_id"]:
                break
            tokens = [*tokens, token]
        result[: len(tokens)] = tokens
    return [results]


@own("com.microsoft.BeamSearch")
def beam_search(configuration):
    found = [beams(configuration, row) for row in range(len(configuration.inputs[0]))]
    return [np.stack(parts) for parts in zip(*found)][: configuration.outputs]


def beams(configuration, row):
    longest, count, best = (int(configuration.inputs[i][0]) for i in (1, 3, 4))
    decoder, rules, power = Decoder(configuration, row), Rules(configuration, row), float(number(configuration, 5, 1))
    sequences, sums = np.array([decoder.begun] * count, np.int32), np.array([0] + [UNLIKELY] * (count - 1), np.float32)
    ended, done = [], False
    while sequences.shape[1] < longest and not done:
        length = sequences.shape[1]
        logits = decoder.logits(sequences)
        scores = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
        scores = np.stack([rules.apply(*pair, length == len(decoder.begun)) for pair in zip(scores, sequences)])
        scores = (scores.astype(np.float32) + sums[:, None]).ravel()
        order = np.argsort(-scores, kind="stable")[: 2 * count]
        ends = order % logits.shape[1] == rules.end
        for i in order[:count][ends[:count]]:
            ended.append((scores[i] / length**power, sequences[i // logits.shape[1]]))
        ended = sorted(ended, key=lambda entry: -entry[0])[:count]
        done = len(ended) == count and (
            configuration.attributes.get("early_stopping") == 1 or ended[-1][0] >= scores[order[0]] / length**power
        )
        kept = order[~ends][:count]
        sums = scores[kept]
        sequences = np.concatenate([sequences[kept // logits.shape[1]], kept[:, None] % logits.shape[1]], axis=1)
        sequences = sequences.astype(np.int32)
    if not done:
        ended += [(total / sequences.shape[1] ** power, sequence) for total, sequence in zip(sums, sequences)]
    ended = sorted(ended, key=lambda entry: -entry[0])[:best]
    result = np.full((best, longest), configuration.attributes["pad_token_id"])
    for i, (_, sequence) in enumerate(ended):
        result[i, : len(sequence)] = sequence
    return result, np.array([score for score, _ in ended], np.float32)
