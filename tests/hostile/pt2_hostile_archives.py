"""Broken .pt2 archives, each with the expected kind of error, or "ok"."""

import json
import random
import struct

import pt2_archive
import pt2_json_mutations
from pt2_archive import Member, members, zip_bytes

MODEL, UNSUPPORTED, LIMIT, OK = "model", "unsupported", "limit", "ok"


def with_member(name, data=None, **lies):
    """Returns the valid archive with other contents of a member, or with wrong header fields for it."""
    changed = members()
    for i, member in enumerate(changed):
        if member.name == "m/" + name:
            changed[i] = Member(member.name, member.data if data is None else data, **lies)
    return zip_bytes(changed)


def without(*names):
    return zip_bytes([member for member in members() if member.name[2:] not in names])


def added(*extra, folder="m/"):
    return zip_bytes(members() + [Member(folder + name, data) for name, data in extra])


def only(*names):
    return zip_bytes([Member(name, b"x") for name in names])


def overlapping():
    """Returns two entries that share the bytes of one local header: the second begins inside the first."""
    outer = members()
    inner, _ = Member("m/extra/inner", b"data").local(0)
    outer.insert(0, Member("m/extra/outer", inner + b"data" + b"x" * 64))
    start = len(outer[0].local(0)[0])
    outer.append(Member("m/extra/inner", b"data", offset=start))
    return zip_bytes(outer)


def zip64_extra(*numbers, kind=1):
    data = b"".join(struct.pack("<Q", number) for number in numbers)
    return struct.pack("<HH", kind, len(data)) + data


def truncated():
    valid = zip_bytes(members())
    for part in (1, 3, 10, 30, 100, len(valid) // 3, len(valid) // 2, len(valid) - 1, len(valid) - 22, len(valid) - 50,
                 len(valid) - 98, len(valid) - 200):
        yield f"cut_at_{part}", valid[:part], MODEL


def archives():
    """Yields damaged ZIP files."""
    valid = zip_bytes(members())
    name = "data/weights/weight_0"
    yield "valid", valid, OK
    yield "valid_without_zip64", zip_bytes(members(), zip64=False), OK
    yield "valid_with_comment", zip_bytes(members(), comment=b"c" * 1000), OK
    yield "valid_other_folder", zip_bytes(members(folder="a b/")), OK
    yield "crc_zero", with_member(name, crc=0), OK
    yield "empty", b"", MODEL
    yield "only_end", zip_bytes([]), MODEL
    yield "trailing_bytes", valid + b"x", MODEL
    yield "bytes_before", zip_bytes(members(), before=b"x" * 64), MODEL
    yield "comment_too_long", zip_bytes(members(), comment_bytes=100), MODEL
    yield "no_folder", zip_bytes(members(folder="")), MODEL
    yield "two_folders", zip_bytes(members() + members(folder="n/")), MODEL
    yield "duplicate_name", added((name, b"other")), MODEL
    yield "duplicate_model", added(("models/model.json", b"{}")), MODEL
    yield "overlapping", overlapping(), MODEL
    yield "same_local_header", zip_bytes(members() + [Member("m/extra/a", b"", offset=0)]), MODEL
    yield "in_directory", with_member(name, offset=len(valid) - 300), MODEL
    yield "compressed", with_member(name, method=8), UNSUPPORTED
    yield "compressed_zstd", with_member(name, method=93), UNSUPPORTED
    yield "local_compressed", with_member(name, local_method=8), MODEL
    for bit in (0, 6, 13):
        yield f"encrypted_{bit}", with_member(name, flags=1 << bit), UNSUPPORTED
    yield "patch", with_member(name, flags=1 << 5), UNSUPPORTED
    for what, number in (("huge", 0xFFFFFFFE), ("all_ones", 0xFFFFFFFF), ("long", len(valid)), ("more", 1 << 20)):
        yield f"size_{what}", with_member(name, size=number), MODEL
        yield f"offset_{what}", with_member(name, offset=number), MODEL
    yield "two_sizes", with_member(name, stored_size=3), MODEL
    yield "short_size", with_member(name, size=20), MODEL
    yield "other_disk", with_member(name, disk=1), MODEL
    yield "local_name", with_member(name, local_name="m/data/weights/weight_X"), MODEL
    yield "local_mark", with_member(name, local_mark=0x12345678), MODEL
    yield "local_extra_huge", with_member(name, local_extra_bytes=0xFFFF), MODEL
    yield "central_mark", with_member(name, mark=0x12345678), MODEL
    yield "no_name", with_member(name, central_name=b""), MODEL
    yield "zero_in_name", with_member(name, central_name=b"m/\0"), MODEL
    yield "name_too_long", with_member(name, name_bytes=0xFFFF), MODEL
    yield "extra_too_long", with_member(name, extra_bytes=0xFFFF), MODEL
    yield "comment_of_entry", with_member(name, comment_bytes=0xFFFF), MODEL
    for number in (0, 1, 10, 12, 0xFFFE, 0xFFFF):
        yield f"count_{number}", zip_bytes(members(), count=number, zip64=False), MODEL
    yield "directory_offset_0", zip_bytes(members(), directory_offset=0), MODEL
    yield "directory_offset_huge", zip_bytes(members(), directory_offset=0xFFFFFFF0, zip64=False), MODEL
    yield "directory_bytes_0", zip_bytes(members(), directory_bytes=0), MODEL
    yield "directory_bytes_huge", zip_bytes(members(), directory_bytes=0xFFFFFFF0, zip64=False), MODEL
    yield "end_disk", zip_bytes(members(), disk=1, zip64=False), MODEL
    yield "end_mark", zip_bytes(members(), end_mark=0), MODEL


def zip64_archives():
    """Yields archives with wrong ZIP64 fields."""
    name = "data/weights/weight_0"
    ones = 0xFFFFFFFF
    for lie, numbers in (("count64", (0, 10, 1 << 40, (1 << 64) - 1)), ("size64", (0, 1 << 40, (1 << 64) - 1)),
                         ("offset64", (0, 1 << 40, (1 << 63), (1 << 64) - 1)),
                         ("locator", (0, 5, 1 << 40, (1 << 64) - 1)), ("end64_bytes", (0, 43, (1 << 64) - 1)),
                         ("disk64", (1,)), ("end64_mark", (0,))):
        for number in numbers:
            yield f"zip64_{lie}_{number}", zip_bytes(members(), **{lie: number}), MODEL
    yield "zip64_many", zip_bytes(members(), count=0xFFFF, count64=1 << 30), LIMIT
    yield "zip64_no_field", with_member(name, size=ones), MODEL
    yield "zip64_field", with_member(name, size=ones, extra=zip64_extra(24, 24)), OK
    yield "zip64_other_field_first", with_member(name, size=ones, extra=zip64_extra(kind=9) + zip64_extra(24, 24)), OK
    yield "zip64_short_field", with_member(name, size=ones, extra=zip64_extra(24)), MODEL
    yield "zip64_empty_field", with_member(name, size=ones, extra=zip64_extra()), MODEL
    yield "zip64_field_longer", with_member(name, size=ones, extra=struct.pack("<HH", 1, 500) + b"1234"), MODEL
    # One byte of the data that follows; storages may be longer than their tensors.
    yield "zip64_size_25", with_member(name, size=ones, extra=zip64_extra(25, 25)), OK
    for number in (1 << 12, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
        yield f"zip64_size_{number}", with_member(name, size=ones, extra=zip64_extra(number, number)), MODEL
        yield f"zip64_offset_{number}", with_member(name, offset=ones, extra=zip64_extra(number)), MODEL


def layouts():
    """Yields other archives and files."""
    model = [("models/model.json", b"{}"), ("archive_format", b"pt2")]
    yield "torchscript", only("m/data.pkl", "m/constants.pkl", "m/code/__torch__.py"), UNSUPPORTED
    yield "pickle_zip", only("m/data.pkl", "m/data/0"), UNSUPPORTED
    yield "older", only("serialized_exported_program.json", "serialized_state_dict.pt", "version"), UNSUPPORTED
    yield "numpy", only("a.npy"), MODEL
    yield "keras", only("config.json", "model.weights.h5"), UNSUPPORTED
    yield "foreign_zip", only("a.txt"), MODEL
    yield "aotinductor", zip_bytes([Member("m/data/aotinductor/model/x.so", b"x"), Member("m/archive_format", b"pt2")]), \
        UNSUPPORTED
    yield "executorch", zip_bytes([Member("m/data/executorch/x.pte", b"x"), Member("m/archive_format", b"pt2")]), \
        UNSUPPORTED
    yield "no_program", zip_bytes([Member("m/archive_format", b"pt2")]), MODEL
    for ending in (".pt", "_model_param_config.json"):
        old = [Member("m/" + n, d) for n, d in model] + [Member("m/data/weights/model" + ending, b"x")]
        yield f"torch_2_8{ending}", zip_bytes(old), UNSUPPORTED
    yield "format_other", with_member("archive_format", b"pt3"), MODEL
    yield "format_long", with_member("archive_format", b"pt2" * 100), MODEL
    yield "format_newline", with_member("archive_format", b"pt2\n"), OK
    yield "version_1", with_member("archive_version", b"1"), UNSUPPORTED
    yield "version_missing", without("archive_version"), OK
    yield "byteorder_big", with_member("byteorder", b"big"), UNSUPPORTED
    yield "byteorder_other", with_member("byteorder", b"middle"), MODEL
    yield "byteorder_missing", without("byteorder"), OK
    for what, head in (("pickle", b"\x80\x02}q"), ("gguf", b"GGUF\3\0\0\0"), ("safetensors", b"\x40" + b"\0" * 7 + b'{"a'),
                       ("hdf5", b"\x89HDF\r\n"), ("html", b"<!DOCTYPE html><p>"), ("lfs", b"version https://git-lfs"),
                       ("pte", b"\x20\0\0\0ET12"), ("tflite", b"\x20\0\0\0TFL3"), ("elf", b"\x7fELF"), ("text", b"hello"),
                       ("gzip", b"\x1f\x8b\x08"), ("onnx", b"\x08\x08\x12\x07pytorch"), ("zeros", b"\0" * 100)):
        yield f"file_{what}", head, MODEL


def json_texts():
    """Yields texts in place of the program."""
    deep = "[" * 100_000 + "]" * 100_000
    for what, text, kind in (
            ("empty", "", MODEL), ("cut", '{"graph_module": ', MODEL), ("list", "[]", MODEL), ("number", "1", MODEL),
            ("null", "null", MODEL), ("deep", deep, LIMIT), ("deep_object", '{"a":' * 5000 + "1" + "}" * 5000, LIMIT),
            ("deep_open", "[" * 1_000_000, LIMIT), ("twice", '{"a": 1, "a": 2}', MODEL), ("nan", '{"a": NaN}', MODEL),
            ("behind", json.dumps(pt2_archive.program()) + "x", MODEL), ("zero", '{"a": "\\u0000"}', MODEL),
            ("surrogate", '{"a": "\\ud800"}', MODEL), ("huge_number", '{"a": 1e999}', MODEL),
            ("comment", '{"a": 1 /* b */}', MODEL), ("wide", "[" + "0," * 300_000 + "0]", MODEL)):
        yield f"json_{what}", zip_bytes(members(model=text)), kind
    yield "json_not_utf8", with_member("models/model.json", b'{"a": "\xff"}'), MODEL
    yield "config_cut", zip_bytes(members(weight='{"config": ')), MODEL
    yield "config_deep", zip_bytes(members(weight=deep)), LIMIT


def missing_members():
    for name in ("data/weights/weight_0", "data/weights/weight_1", "data/weights/model_weights_config.json",
                 "data/constants/tensor_0", "data/constants/model_constants_config.json", "models/model.json",
                 "archive_format"):
        yield "missing_" + name.replace("/", "_"), without(name), MODEL


def named_archives():
    """Yields (name, bytes, kind) of all archives that are not random."""
    for source in (archives, truncated, zip64_archives, layouts, json_texts, missing_members, pt2_json_mutations.programs,
                   pt2_json_mutations.configs):
        yield from source()


def drawn_archives(count, seed=1):
    """Yields (name, bytes, "any") of random mutations of bytes and of JSON values."""
    draw = random.Random(seed)
    valid = zip_bytes(members())
    for i in range(count):
        if i % 3 == 0:
            changed = bytearray(valid)
            for _ in range(draw.choice((1, 1, 2, 8, 64))):
                changed[draw.randrange(len(changed))] = draw.choice((0, 1, 0x7F, 0xFF, draw.randrange(256)))
            yield f"drawn_bytes_{i}", bytes(changed), "any"
        else:
            yield f"drawn_json_{i}", pt2_json_mutations.drawn(draw, weights=i % 3 == 2), "any"
