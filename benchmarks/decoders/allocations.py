"""The allocations of steps, counted by run_model."""

import json
import subprocess
import tempfile

import feeds
import numpy as np

WARM = 8  # steps: the first ones plan


def per_step(program, model, past, steps):
    """Counts from this many past tokens on. A state that exceeds its capacity allocates another buffer of twice the
    size."""
    made = feeds.make(model, past)
    with tempfile.NamedTemporaryFile(suffix=".npz") as inputs:
        np.savez(inputs, **made.past, **made.step(0))
        flags = ["--state", "present.*=past_key_values.*", "--steps", WARM + steps, "--warmup", WARM, "--iters", steps]
        flags += ["--grow", "attention_mask"] if "attention_mask" in made.names else []
        command = [program, "bench", model, "--input-npz", inputs.name, "--threads", 1, "--json", "-", *flags]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["allocations_per_run"]
