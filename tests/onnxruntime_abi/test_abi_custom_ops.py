"""Custom operators of all versions: the calls of their functions, their types, and their failures."""

import ctypes

import numpy as np
import pytest
from abi_models import FLOAT, INT64, X, Y, model, node, value
from custom_ops import OPTIONAL_INPUT, VARIADIC, Operator, copy_first, custom_model, session_with
from onnx import helper
from session_support import FAIL, INVALID_GRAPH, NOT_IMPLEMENTED, RUNTIME, Failed, dims, refused

VERSIONS = [1, 7, 8, 13, 14, 16, 17, 18, 24, 30, 32]


def double(operator, context):
    copy_first(operator, context, 2)


@pytest.mark.parametrize("version", VERSIONS)
def test_operators_of_each_version(ort, version):
    operator = Operator(ort.api, double, version=version)
    session = session_with(ort, custom_model(), operator)
    for rows in (2, 5):
        x = np.ones((rows, 3), np.float32)
        assert ort.run(session, {"x": x}, "z")[0].tolist() == (2 * x).tolist()
    ort.release("Session", session)
    newer = version >= 16
    assert operator.tables == [ort.api.address]
    assert operator.calls.count("create_v2" if newer else "create") == 1
    assert operator.calls.count("compute_v2" if newer else "compute") == 2
    assert operator.calls.count("destroy") == 1
    assert not {"create", "compute"} & set(operator.calls) if newer else True
    assert operator.failures == []


@pytest.mark.only("linnet")
@pytest.mark.parametrize("version", [1, 7])
def test_the_oldest_operators_have_no_kinds_of_inputs(ort, version):
    """The original library calls the functions nevertheless."""
    operator = Operator(ort.api, double, version=version)
    operator.layout.input_kind = operator.layout.output_kind = type(operator.layout.input_kind)()
    session = session_with(ort, custom_model(), operator)
    assert ort.run(session, {"x": X}, "z")[0].tolist() == (2 * X).tolist()


@pytest.mark.parametrize("version", [16, 17, 30])
def test_newer_functions_may_be_missing(ort, version):
    operator = Operator(ort.api, double, version=version, v2=False)
    session = session_with(ort, custom_model(), operator)
    assert ort.run(session, {"x": X}, "z")[0].tolist() == (2 * X).tolist()
    assert {"create", "compute"} <= set(operator.calls)


def test_an_operator_of_a_later_version_is_accepted(ort):
    session = session_with(ort, custom_model(), Operator(ort.api, double, version=1000))
    assert ort.run(session, {"x": X}, "z")[0].tolist() == (2 * X).tolist()


def test_the_order_of_calls(ort):
    operator = Operator(ort.api, double, create=lambda *a: None, infer=lambda *a: None)
    session = session_with(ort, custom_model(), operator)
    assert "name" in operator.calls and "compute_v2" not in operator.calls
    assert operator.calls.index("input_type") < operator.calls.index("infer") < operator.calls.index("create_v2")
    before = len(operator.calls)
    ort.run(session, {"x": X}, "z")
    assert operator.calls[before:] == ["compute_v2"]
    ort.release("Session", session)
    assert operator.calls[before:] == ["compute_v2", "destroy"]


def test_one_kernel_for_each_node(ort):
    contents = model([node("Mine", "x", "y", domain="my.domain"), node("Mine", "y", "z", domain="my.domain")],
                     [value("x")], [value("z")], domains={"my.domain": 1})  # fmt: skip
    operator = Operator(ort.api, double)
    session = session_with(ort, contents, operator)
    assert ort.run(session, {"x": X}, "z")[0].tolist() == (4 * X).tolist()
    ort.release("Session", session)
    assert [operator.calls.count(name) for name in ("create_v2", "compute_v2", "destroy")] == [2, 2, 2]


def test_a_domain_serves_many_sessions(ort):
    operator, domain = Operator(ort.api, double), ort.new("CustomOpDomain", ort.api.CreateCustomOpDomain(b"my.domain"))
    ort.api.CustomOpDomain_Add(domain, ctypes.byref(operator.layout))
    for _ in range(2):
        options = ort.options()
        ort.api.AddCustomOpDomain(options, domain)
        session = ort.session(custom_model(), options)
        ort.release("SessionOptions", options)
        assert ort.run(session, {"x": X}, "z")[0].tolist() == (2 * X).tolist()


@pytest.mark.parametrize("code", [1, 2, 6, 9, 10, 14])
def test_a_failure_of_a_run_keeps_its_code(ort, code):
    def fail(*_):
        raise Failed(code, "the kernel says no")

    session = session_with(ort, custom_model(), Operator(ort.api, fail))
    refused(
        code, "running Mine node. Name:'my node' Status Message: the kernel says no", ort.run, session, {"x": X}, "z"
    )


@pytest.mark.parametrize("code", [1, 2, 9])
def test_a_kernel_that_cannot_be_made_keeps_its_text(ort, code):
    def fail(*_):
        raise Failed(code, "the kernel says no")

    refused(RUNTIME, "the kernel says no", session_with, ort, custom_model(), Operator(ort.api, double, create=fail))


def test_types_are_checked(ort):
    values = {"x": value("x", INT64), "z": value("z", INT64)}
    refused(INVALID_GRAPH, "x|Mine", session_with, ort, custom_model(values=values), Operator(ort.api, double))


def test_any_type(ort):
    def compute(operator, context):
        api = operator.api
        kind, shape, rank = api.GetTensorElementTypeAndShapeDataReference(api.KernelContext_GetInput(context, 0))
        found.append(kind)
        target = api.KernelContext_GetOutput(context, 0, shape, rank)
        assert api.GetTensorElementTypeAndShapeDataReference(target)[0] == kind

    found = []
    for array, kind in ((X, FLOAT), (X.astype(np.int64), INT64), (np.full((2, 3), "a", object), 8)):
        values = {name: value(name, kind) for name in "xz"}
        session = session_with(ort, custom_model(values=values), Operator(ort.api, compute, inputs=(0,), outputs=(0,)))
        assert ort.run(session, {"x": array}, "z")[0].shape == (2, 3)
    assert found == [1, 7, 8]


def counted(operator, context):
    """Computes the number of inputs, and the number of those with a value."""
    api = operator.api
    count = api.KernelContext_GetInputCount(context)
    there = [api.KernelContext_GetInput(context, i) is not None for i in range(count)]
    operator.seen = there, api.KernelContext_GetOutputCount(context), api.KernelContext_GetInput(context, count + 5)
    copy_first(operator, context)


def test_optional_inputs(ort):
    operator = Operator(ort.api, counted, inputs=(1, 1, 1), input_kinds=(0, OPTIONAL_INPUT, OPTIONAL_INPUT))
    for names, there in ((["x"], [True]), (["x", "", "x"], [True, False, True]), (["x", "x"], [True, True])):
        contents = model([helper.make_node("Mine", names, ["z"], domain="my.domain")], [value("x")], [value("z")],
                         domains={"my.domain": 1})  # fmt: skip
        ort.run(session_with(ort, contents, operator), {"x": X}, "z")
        found = [*operator.seen[0], False, False, False][: len(there)]
        assert found == there and operator.seen[1:] == (1, None)


@pytest.mark.parametrize("alike", [0, 1])
def test_variadic_inputs(ort, alike):
    operator = Operator(ort.api, counted, inputs=(1 if alike else 0,), input_kinds=(VARIADIC,), variadic_input_alike=alike,
                        variadic_input_minimum=2)  # fmt: skip
    for names in ("x y", "x y x y x"):
        ort.run(session_with(ort, custom_model(inputs=names), operator), {"x": X, "y": Y}, "z")
        assert len(operator.seen[0]) == len(names.split())
    refused(INVALID_GRAPH, "", session_with, ort, custom_model(inputs="x"), operator)


def test_variadic_outputs(ort):
    def compute(operator, context):
        copy_first(operator, context)
        for i in range(1, operator.api.KernelContext_GetOutputCount(context)):
            operator.api.KernelContext_GetOutput(context, i, dims(i + 1, 3), 2)

    operator = Operator(ort.api, compute, output_kinds=(VARIADIC,), variadic_output_alike=1)
    session = session_with(ort, custom_model(outputs="z a b"), operator)
    assert [r.shape for r in ort.run(session, {"x": X}, "z", "a", "b")] == [(2, 3), (2, 3), (3, 3)]


def test_an_operator_that_is_not_there(ort):
    refused(FAIL, "my.domain:+Other", session_with, ort, custom_model("Other"), Operator(ort.api, double))
    refused(FAIL, "", ort.session, custom_model())


@pytest.mark.parametrize(
    ("start", "end", "version", "there"), [(1, 3, 3, True), (1, 3, 9, True), (5, 9, 5, True), (5, 9, 3, False)]
)
def test_versions_of_an_operator(ort, start, end, version, there):
    operator = Operator(ort.api, double, start=start, end=end)
    if there:
        session_with(ort, custom_model(version=version), operator)
    else:
        refused(FAIL, "my.domain:+Mine", session_with, ort, custom_model(version=version), operator)


def test_operators_of_one_name_by_type(ort):
    def other(operator, context):
        operator.seen = True
        api = operator.api
        _, shape, rank = api.GetTensorElementTypeAndShapeDataReference(api.KernelContext_GetInput(context, 0))
        api.KernelContext_GetOutput(context, 0, shape, rank)

    floats, integers = Operator(ort.api, double), Operator(ort.api, other, inputs=(7,), outputs=(7,))
    values = {name: value(name, INT64) for name in "xz"}
    ort.run(session_with(ort, custom_model(values=values), floats, integers), {"x": X.astype(np.int64)}, "z")
    assert integers.seen and "compute_v2" not in floats.calls


def test_a_provider_that_is_not_there(ort):
    operator = Operator(ort.api, double, provider="CUDAExecutionProvider")
    refused(NOT_IMPLEMENTED, "Mine", session_with, ort, custom_model(), operator)
    session = session_with(ort, custom_model(), Operator(ort.api, double, provider="CPUExecutionProvider"))
    assert ort.run(session, {"x": X}, "z")[0].tolist() == (2 * X).tolist()


def test_two_domains_of_one_name(ort):
    options, operator = ort.options(), Operator(ort.api, double)
    for _ in range(2):
        domain = ort.new("CustomOpDomain", ort.api.CreateCustomOpDomain(b"my.domain"))
        ort.api.CustomOpDomain_Add(domain, ctypes.byref(operator.layout))
        ort.api.AddCustomOpDomain(options, domain)
    refused(FAIL, "domain already", ort.session, custom_model(), options)


def test_operators_of_the_standard_are_replaced(ort):
    contents = model([node("Relu", "x", "z")], [value("x")], [value("z")])
    session = session_with(ort, contents, Operator(ort.api, double, name="Relu"), domain="")
    assert ort.run(session, {"x": X - 2}, "z")[0].tolist() == (2 * X - 4).tolist()


def test_shapes_that_cannot_be_inferred_do_no_harm(ort):
    def fail(*_):
        raise Failed(2, "no shape")

    session = session_with(ort, custom_model(), Operator(ort.api, double, infer=fail))
    assert ort.run(session, {"x": X}, "z")[0].tolist() == (2 * X).tolist()


def test_operators_that_contradict_themselves(ort):
    for words, settings in (("last input.*variadic", {"inputs": (1, 1), "input_kinds": (VARIADIC, 0)}),
                            ("dynamic", {"outputs": (0,)})):  # fmt: skip
        refused(FAIL, words, session_with, ort, custom_model(inputs="x"), Operator(ort.api, double, **settings))
    refused(NOT_IMPLEMENTED, "type 99", session_with, ort, custom_model(), Operator(ort.api, double, inputs=(99,)))
