"""The families generate everything that the schemas contain."""

import contextlib

from by_operator import title
from coverage import draw_with, variables
from draw import Impossible, SeededDraw
from families import FAMILIES
from onnx.defs import OpSchema
from survey import schemas

# The number of configurations of one operator version to generate until everything has occurred.
ATTEMPTS = 400
NEVER = {
    # No implementation reads it.
    "consumed_inputs": "memory that early versions said might be written to",
    # ONNX Runtime's CPU kernels refuse them, and so does Linnet.
    "do_rotary": "a rotation of queries and keys by their positions",
    "past_present_share_buffer": "states in memory of their full length",
}

# What Linnet refuses, or what ONNX Runtime's CPU kernels refuse or ignore.
NEVER_OF = {
    "com.microsoft.Attention": ("past_sequence_length", "rotary_embedding_dim"),
    "com.microsoft.BeamSearch": ("decoder_input_ids", "logits_processor"),
    "com.microsoft.CausalConvWithState": (
        "input_channel_offset", "input_channels", "ndim", "state_channels_last", "state_length",
        "state_update_capacity", "state_window",
    ),
    "com.microsoft.DecoderMaskedMultiHeadAttention": ("cache_indirection",),
    "com.microsoft.GreedySearch": ("decoder_start_token_id", "encoder", "model_type"),
    "com.microsoft.GroupQueryAttention": (
        "k_norm_epsilon", "k_norm_weight", "k_quant_type", "k_scale", "kv_cache_bit_width", "q_norm_epsilon",
        "q_norm_weight", "qk_norm_epsilon", "sliding_window_cache", "v_quant_type", "v_scale",
    ),
    "com.microsoft.LinearAttention": ("state_window",),
    "com.microsoft.MoE": (
        "fc3_experts_bias", "fc3_experts_weights", "swiglu_limit_after_activation", "use_sparse_mixer",
    ),
    "com.microsoft.MultiHeadAttention": ("cache_indirection",),
    "com.microsoft.QMoE": (
        "accuracy_level", "fc1_act_block_scale", "fc1_act_scale", "fc1_global_scale", "fc2_act_block_scale",
        "fc2_act_scale", "fc2_global_scale", "fc3_expert_weight_bits", "fc3_experts_bias", "fc3_experts_weights",
        "fc3_scales", "fc3_zero_points", "swiglu_limit_after_activation", "use_sparse_mixer",
    ),
    "com.microsoft.RotaryEmbedding": ("scale",),
    "com.microsoft.Sampling": ("decoder_start_token_id", "encoder", "model_type", "no_repeat_ngram_size"),
    "com.microsoft.WhisperBeamSearch": (
        "attention_mask", "cross_qk_layer_head", "decoder_output_cross_qk", "extra_decoding_ids", "init_decoder",
        "no_speech_token_id",
    ),
}  # fmt: skip


def seen_in(schema, configuration):
    """Returns the names of the attributes and optional inputs of a configuration."""
    optional = [i for i, entry in enumerate(schema.inputs) if entry.option == OpSchema.FormalParameterOption.Optional]
    given = {
        schema.inputs[i].name for i in optional if i < len(configuration.inputs) and configuration.inputs[i] is not None
    }
    return set(configuration.attributes) | given


def wanted(schema):
    optional = {entry.name for entry in schema.inputs if entry.option == OpSchema.FormalParameterOption.Optional}
    return (set(schema.attributes) | optional) - set(NEVER) - set(NEVER_OF.get(title(schema), ()))


def missing(schema):
    """Returns what no configuration has."""
    rest = wanted(schema)
    for seed in range(ATTEMPTS):
        if not rest:
            break
        with contextlib.suppress(Impossible):
            rest = rest - seen_in(schema, FAMILIES[title(schema)](SeededDraw(schema, seed)))
    return rest


def test_every_attribute_and_optional_input_is_drawn():
    found = {f"{title(schema)}-{schema.since_version}": missing(schema) for schema in schemas()}
    found = {name: sorted(rest) for name, rest in found.items() if rest}
    assert not found, "\n".join(f"{name}: {rest}" for name, rest in found.items())


# A branch of version 1 has only operators on numbers.
IMPOSSIBLE = ("If-1: V complex128", "If-1: V complex64", "If-1: V string")


def test_every_type_is_drawn():
    found = [
        f"{title(schema)}-{schema.since_version}: {variable} {name}"
        for schema in schemas()
        for variable, name in variables(schema)
        if not any(draw_with(schema, variable, name, attempt) for attempt in range(3))
    ]
    assert not set(found) - set(IMPOSSIBLE), "\n".join(found)
