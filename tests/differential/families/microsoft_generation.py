"""Operators of com.microsoft that generate tokens, with small language models as bodies."""

import numpy as np
from by_operator import family
from language_models import gpt_decoder, t5_decoder, t5_encoder, whisper_decoder, whisper_encoder

from .microsoft import finished

LAYERS = 1


def int32(draw, low, high):
    return np.array([draw.integer(low, high)], np.int32)


def model(draw, encoder):
    """Returns attributes, the vocabulary and a prompt, some of whose leading tokens are padding."""
    vocabulary, batch, length = draw.integer(4, 12), draw.integer(1, 3), draw.integer(1, 5)
    seed, pad = draw.integer(0, 999), draw.integer(0, 1)
    attributes = {"eos_token_id": draw.choice((pad, 2)), "pad_token_id": pad}
    if draw.flag():
        attributes["no_repeat_ngram_size"] = draw.integer(2, 4)
    if draw.rare():
        attributes["vocab_size"] = vocabulary
    ids = draw.tensor("int32", (batch, length), 2, vocabulary - 1)
    for row in ids:
        row[: draw.integer(0, length - 1)] = pad
        if encoder and draw.flag():
            row[draw.integer(0, length - 1)] = pad
    if encoder:
        starts = draw.flag()
        hidden = starts and draw.flag()
        attributes |= {"model_type": 1, "decoder_start_token_id": pad,
                       "encoder": t5_encoder(seed, vocabulary, LAYERS, starts=starts),
                       "decoder": t5_decoder(seed, vocabulary, LAYERS, hidden=hidden)}
    else:
        attributes["decoder"] = gpt_decoder(seed, vocabulary, LAYERS)
        if draw.rare():
            attributes["init_decoder"] = gpt_decoder(seed + 1, vocabulary, LAYERS)
    return attributes, vocabulary, ids


def lengths(draw, begun, omits=True):
    """Returns max_length, and min_length, which may be omitted."""
    longest = int32(draw, begun + 2, begun + 9)
    return longest, None if omits and draw.flag() else int32(draw, 0, int(longest[0]) - 1)


def penalty(draw, omits=True):
    return None if omits and draw.flag() else np.array([draw.choice((0.5, 0.8, 1.0, 1.3, 2.0))], np.float32)


def masks(draw, vocabulary, ids):
    """Returns vocab_mask, prefix_vocab_mask and attention_mask, each of which may be omitted. A token other than the
    end remains."""
    given = []
    for shape in (vocabulary,), (len(ids), vocabulary):
        mask = draw.tensor("int32", shape, 0, 1)
        mask[..., 3] = 1
        given.append(mask if draw.rare() else None)
    attention = draw.tensor("int32", ids.shape, 0, 1)
    attention[:, -1] = 1
    return [*given, attention if draw.rare() else None]


@family("com.microsoft.BeamSearch")
def beam_search(draw):
    encoder = draw.flag()
    attributes, vocabulary, ids = model(draw, encoder)
    beams = draw.integer(1, 5)
    if draw.flag():
        attributes["early_stopping"] = 1
    draw.types.update(T="float", F="int32", I="int32", M="int32")
    counts = [np.array([beams], np.int32), int32(draw, 1, beams)]
    # ONNX Runtime has no default for min_length and length_penalty.
    begun = lengths(draw, 1 if encoder else ids.shape[1], omits=False)
    inputs = [ids, *begun, *counts, penalty(draw, omits=False), penalty(draw)]
    outputs = draw.integer(1, 2)
    return finished(draw, inputs + masks(draw, vocabulary, ids), attributes, outputs=outputs, roundings=64, magnitude=8)


@family("com.microsoft.GreedySearch")
def greedy_search(draw):
    attributes, vocabulary, ids = model(draw, encoder=False)
    draw.types.update(T="float", I="int32")
    return finished(draw, [ids, *lengths(draw, ids.shape[1]), penalty(draw), *masks(draw, vocabulary, ids)], attributes)


@family("com.microsoft.Sampling")
def sampling(draw):
    """Uses a top_p that is so small that only one token can be sampled."""
    attributes, vocabulary, ids = model(draw, encoder=False)
    attributes.pop("no_repeat_ngram_size", None)  # it may exclude all tokens, which are then equal
    attributes |= {"top_p": 1e-6, "min_tokens_to_keep": 1, "temperature": draw.choice((0.5, 1.0, 2.0)),
                   "custom": draw.integer(0, 1), "filter_value": draw.choice((-1e20, -1e10))}  # fmt: skip
    presence = None
    if draw.flag():
        attributes["presence_penalty"] = draw.choice((0.5, 1.0))
        presence = draw.tensor("int32", (len(ids), vocabulary), 0, 1) if draw.flag() else None
    draw.types.update(T="float", I="int32")
    inputs = [ids, *lengths(draw, ids.shape[1]), penalty(draw), *masks(draw, vocabulary, ids), presence, int32(draw, 0, 99)]
    return finished(draw, inputs, attributes)


# The ids of 15 tokens: text, the end, and the special tokens after it.
WHISPER = {"eos_token_id": 4, "decoder_start_token_id": 5, "translate_token_id": 6, "transcribe_token_id": 7,
           "start_of_lm_token_id": 8, "no_timestamps_token_id": 9, "beginning_timestamp_token_id": 10}  # fmt: skip


@family("com.microsoft.WhisperBeamSearch")
def whisper_beam_search(draw):
    vocabulary, batch, features, beams, seed = 15, draw.integer(1, 2), 5, draw.integer(1, 4), draw.integer(0, 999)
    attributes = WHISPER | {
        "pad_token_id": draw.integer(0, 4),
        # Otherwise, ONNX Runtime's sequences depend on one another.
        "early_stopping": 1 if batch > 1 else draw.integer(0, 1),
        "model_type": 2,
        "encoder": whisper_encoder(seed, vocabulary, LAYERS, features=features),
        "decoder": whisper_decoder(seed, vocabulary, LAYERS, hidden=draw.flag()),
    }
    if draw.flag():
        attributes["no_repeat_ngram_size"] = draw.integer(2, 4)
    if draw.rare():
        attributes["vocab_size"] = vocabulary
    begun = draw.integer(1, 3)
    ids = draw.tensor("int32", (batch, begun), 0, 3)
    ids[:, 0] = WHISPER["decoder_start_token_id"]
    draw.types.update(T="float", F="float", I="int32", M="int32", V="float")
    counts = [np.array([beams], np.int32), int32(draw, 1, beams)]
    inputs = [draw.tensor("float", (batch, features, draw.integer(1, 6)), -1, 1), *lengths(draw, begun, omits=False), *counts]
    inputs += [penalty(draw, omits=False), penalty(draw), *masks(draw, vocabulary, ids)[:2], None]
    temperature = np.array([draw.choice((0.5, 2.0))], np.float32) if draw.flag() else None
    inputs += [ids if begun > 1 or draw.flag() else None, int32(draw, 0, 1) if draw.flag() else None, None, None, temperature]
    return finished(draw, inputs, attributes, outputs=draw.integer(1, 2), roundings=64, magnitude=8)
