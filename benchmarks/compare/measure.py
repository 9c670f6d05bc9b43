"""Blocks of runs in turns."""

import json
import statistics

from engines import Peer, Problem
from summary import summarise


def in_turns(engines, rounds, block):
    """Medians in ms by engine's name: A B C, C B A, ... so that drift of the machine affects all equally."""
    medians = {engine.name: [] for engine in engines}
    for number in range(rounds):
        for engine in engines if number % 2 == 0 else reversed(engines):
            medians[engine.name].append(block(engine).median_ms)
    return medians


def best_level(case, setup, options, watch):
    """ONNX Runtime with the level of optimisation that is faster for this model, by a short trial A B B A."""
    levels = [Peer("onnxruntime", level) for level in ("all", "extended")]
    sums = [0.0, 0.0]
    for i in (0, 1, 1, 0):
        sums[i] += watch.undisturbed(lambda i=i: levels[i].block(case, setup, options.seconds / 2)).median_ms
    return levels[sums[1] < sums[0]]


def start(engine, case, setup):
    """Loading, the first run, and peak memory after it, each the median of three fresh processes."""
    blocks = [engine.block(case, setup, seconds=0, warmup=0, runs=1) for _ in range(3)]
    return {
        "load_ms": statistics.median(block.load_ms for block in blocks),
        "first_run_ms": statistics.median(block.median_ms for block in blocks),
        "peak_rss_mib": statistics.median(block.peak_rss_mib for block in blocks),
    }


def layers(linnet, case, setup):
    """Linnet's time in ms by operator type, from the quickest of three profiled runs."""
    profiles = []
    for _ in range(3):
        trace = f"{case.folder}/trace.json"
        linnet.call(case, setup, "bench", "--iters", 3, "--profile", trace)
        with open(trace) as file:
            profiles.append(time_by_type(json.load(file)["traceEvents"]))
    return min(profiles, key=lambda profile: sum(profile.values()))


def time_by_type(events):
    """Without the nodes of bodies, whose time is counted in the node that has them."""
    times, end = {}, 0.0
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        if event["ts"] >= end:
            name = event["name"].removeprefix("linnet::")
            times[name] = times.get(name, 0.0) + event["dur"] / 1e3
            end = event["ts"] + event["dur"]
    return times


def agreeing(engines, case, setup):
    """The engines whose outputs are the expected ones, and the others' problems by name."""
    problems = {}
    for engine in engines:
        try:
            case.check(engine, setup)
        except Problem as problem:
            problems[engine.name] = {"problem": str(problem)}
    return [engine for engine in engines if engine.name not in problems], problems


def measure(engines, case, setup, options, watch):
    """A row of the table; the first of the engines is Linnet. Nothing is timed where Linnet's outputs are wrong."""
    timed, results = agreeing(engines, case, setup)
    if timed[:1] != engines[:1]:
        return {"problem": results[engines[0].name]["problem"]}
    timed = [best_level(case, setup, options, watch) if e.name == "onnxruntime" else e for e in timed]
    medians = in_turns(timed, options.rounds, lambda e: watch.undisturbed(lambda: e.block(case, setup, options.seconds)))
    for engine in timed:
        blocks = medians[engine.name]
        results[engine.name] = {"median_ms": statistics.median(blocks), "blocks_ms": blocks} | engine.settings
        results[engine.name] |= start(engine, case, setup)
        if engine is not timed[0]:
            results[engine.name] |= summarise(blocks, medians[timed[0].name])
    disturbed = {"thrown_out": watch.thrown_out, "kept_disturbed": watch.kept_disturbed}
    return {"engines": results, "layers_ms": layers(timed[0], case, setup)} | disturbed
