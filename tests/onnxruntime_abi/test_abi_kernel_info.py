"""The information that kernels of custom operators have about their nodes."""

import ctypes
from ctypes import byref, c_float, c_int64, c_size_t

import pytest
from abi_models import W, X, model_proto, node, value
from custom_ops import Operator, copy_first, custom_model, session_with
from onnx import numpy_helper
from session_support import ARGUMENT, FAIL, TENSOR, items, key_values, refused, text

ATTRIBUTES = {"number": 7, "factor": 0.5, "word": "hello", "numbers": [1, 2, 3], "factors": [0.5, 1.5], "words": ["a", "", "ccc"],
              "tensor": numpy_helper.from_array(W, "w")}  # fmt: skip


def asked(ort, question, contents=None, config=(), **settings):
    """Returns the answer to a question that a kernel asks when it is created. Raises the failure of the question."""
    answers = []
    operator = Operator(ort.api, copy_first, create=lambda operator, info: answers.append(question(info)), **settings)
    session = session_with(ort, contents or custom_model(**ATTRIBUTES), operator)
    ort.run(session, {"x": X}, "z")
    if operator.failures:
        raise operator.failures[0]
    return answers[0]


def sized(call, *arguments):
    """Returns a string that is read in two calls: first its size, then its characters."""
    size = c_size_t(0)
    call(*arguments, None, byref(size))
    buffer = ctypes.create_string_buffer(b"#" * (size.value + 2))
    call(*arguments, buffer, byref(size))
    assert buffer.raw[size.value - 1 : size.value + 2] == b"\0##"
    return buffer.value.decode()


def array_of(call, kind, *arguments):
    """Returns an array that is read in two calls."""
    size = c_size_t(0)
    call(*arguments, None, byref(size))
    values = (kind * size.value)()
    call(*arguments, values, byref(size))
    return list(values)


def test_attributes_of_one_value(ort):
    api = ort.api

    def question(info):
        return (api.KernelInfoGetAttribute_int64(info, b"number"), api.KernelInfoGetAttribute_float(info, b"factor"),
                sized(api.KernelInfoGetAttribute_string, info, b"word"))  # fmt: skip

    assert asked(ort, question) == (7, 0.5, "hello")


def test_attributes_of_many_values(ort):
    api = ort.api

    def question(info):
        words, count = api.KernelInfoGetAttributeArray_string(info, b"words", ort.allocator)
        return (array_of(api.KernelInfoGetAttributeArray_int64, c_int64, info, b"numbers"),
                array_of(api.KernelInfoGetAttributeArray_float, c_float, info, b"factors"),
                [text(word) for word in items(words, count)])  # fmt: skip

    assert asked(ort, question) == ([1, 2, 3], [0.5, 1.5], ["a", "", "ccc"])


def test_attributes_that_are_tensors(ort):
    def question(info):
        tensor = ort.new("Value", ort.api.KernelInfoGetAttribute_tensor(info, b"tensor", ort.allocator))
        return ort.array(tensor).tolist()

    assert asked(ort, question) == W.tolist()


def test_attributes_that_are_not_there(ort):
    api = ort.api

    def question(info):
        size = c_size_t(0)
        for call, rest in ((api.KernelInfoGetAttribute_int64, []), (api.KernelInfoGetAttribute_float, []),
                           (api.KernelInfoGetAttribute_string, [None, byref(size)]),
                           (api.KernelInfoGetAttributeArray_int64, [None, byref(size)]),
                           (api.KernelInfoGetAttributeArray_float, [None, byref(size)]),
                           (api.KernelInfoGetAttribute_tensor, [ort.allocator])):  # fmt: skip
            refused(FAIL, "no attribute with", call, info, b"absent", *rest)

    asked(ort, question)


def test_attributes_have_a_type(ort):
    api = ort.api

    def question(info):
        kinds = {b"number": api.KernelInfoGetAttribute_int64, b"factor": api.KernelInfoGetAttribute_float}
        for name in ATTRIBUTES:
            for own, call in kinds.items():
                if name.encode() != own:
                    refused(FAIL, "type don't match", call, info, name.encode())
            if name != "word":
                refused(
                    FAIL,
                    "type don't match",
                    api.KernelInfoGetAttribute_string,
                    info,
                    name.encode(),
                    None,
                    byref(c_size_t()),
                )
            if name != "tensor":
                refused(FAIL, "type don't match", api.KernelInfoGetAttribute_tensor, info, name.encode(), ort.allocator)

    asked(ort, question)


def test_attributes_of_another_type_are_empty_arrays(ort):
    api = ort.api

    def question(info):
        for name in (b"number", b"word", b"factors"):
            assert array_of(api.KernelInfoGetAttributeArray_int64, c_int64, info, name) == []
        assert array_of(api.KernelInfoGetAttributeArray_float, c_float, info, b"numbers") == []
        assert api.KernelInfoGetAttributeArray_string(info, b"word", ort.allocator) == (None, 0)

    asked(ort, question)


def test_room_for_attributes_may_be_short(ort):
    api = ort.api

    def question(info):
        size, buffer = c_size_t(5), ctypes.create_string_buffer(8)
        refused(ARGUMENT, "not large enough", api.KernelInfoGetAttribute_string, info, b"word", buffer, byref(size))
        assert size.value == 6
        size = c_size_t(2)
        refused(ARGUMENT, "", api.KernelInfoGetAttributeArray_int64, info, b"numbers", (c_int64 * 3)(), byref(size))
        return size.value

    assert asked(ort, question) == 3


def test_names_of_the_node_and_its_values(ort):
    api = ort.api

    def question(info):
        counts = api.KernelInfo_GetInputCount(info), api.KernelInfo_GetOutputCount(info)
        names = [sized(api.KernelInfo_GetInputName, info, 0), sized(api.KernelInfo_GetOutputName, info, 0)]
        refused(ARGUMENT, "out of bounds", api.KernelInfo_GetInputName, info, 5, None, byref(c_size_t()))
        refused(ARGUMENT, "out of bounds", api.KernelInfo_GetOutputName, info, 5, None, byref(c_size_t()))
        node = [
            sized(call, info)
            for call in (api.KernelInfo_GetNodeName, api.KernelInfo_GetOperatorDomain, api.KernelInfo_GetOperatorType)
        ]
        return counts, names, node, api.KernelInfo_GetOperatorSinceVersion(info)

    assert asked(ort, question) == ((1, 1), ["x", "z"], ["my node", "my.domain", "Mine"], 1)


def test_types_of_the_values(ort):
    api = ort.api

    def question(info):
        results = []
        for call in (api.KernelInfo_GetInputTypeInfo, api.KernelInfo_GetOutputTypeInfo):
            type_info = ort.new("TypeInfo", call(info, 0))
            assert api.GetOnnxTypeFromTypeInfo(type_info) == TENSOR
            results.append(ort.described(api.CastTypeInfoToTensorInfo(type_info)))
            refused(ARGUMENT, "out of bounds", call, info, 5)
        return results

    assert asked(ort, question) == [(1, [-1, 3]), (1, [-1, 3])]


def test_inputs_that_are_constant(ort):
    api = ort.api

    def question(info):
        results = []
        assert api.KernelInfoGetConstantInput_tensor(info, 9) == (0, None)
        for index in (0, 1):
            constant, tensor = api.KernelInfoGetConstantInput_tensor(info, index)
            results.append(ort.array(tensor).tolist() if constant else None)
        return results

    proto = model_proto([node("Mine", "x w", "z", domain="my.domain")], [value("x")], [value("z")], {"w": W},
                        domains={"my.domain": 1})  # fmt: skip
    assert asked(ort, question, proto.SerializeToString(), inputs=(1, 1)) == [None, W.tolist()]


@pytest.mark.parametrize("kind", [0, -1, -2])
def test_memory_for_a_kernel(ort, kind):
    def question(info):
        allocator = ort.new("Allocator", ort.api.KernelInfoGetAllocator(info, kind))
        block = ort.api.AllocatorAlloc(allocator, 100)
        ctypes.memset(block, 1, 100)
        ort.api.AllocatorFree(allocator, block)
        return True

    assert asked(ort, question)


def test_a_logger_for_a_kernel(ort):
    def question(info):
        logger = ort.api.KernelInfo_GetLogger(info)
        ort.api.Logger_LogMessage(logger, 2, b"a message", b"file.cc", 7, b"function")
        return ort.api.Logger_GetLoggingSeverityLevel(logger)

    assert asked(ort, question) == 4


def test_a_copy_of_the_information(ort):
    copies = []

    def question(info):
        copies.append(ort.new("KernelInfo", ort.api.CopyKernelInfo(info)))
        return copies[0]

    copied = asked(ort, question)
    assert ort.api.KernelInfoGetAttribute_int64(copied, b"number") == 7


def test_config_entries_of_the_session(ort):
    answers = []
    operator = Operator(ort.api, copy_first, create=lambda operator, info: answers.append(
        key_values(ort.api, ort.new("KeyValuePairs", ort.api.KernelInfo_GetConfigEntries(info)))))  # fmt: skip
    domain, options = ort.new("CustomOpDomain", ort.api.CreateCustomOpDomain(b"my.domain")), ort.options(
        my__key="my value"
    )
    ort.api.CustomOpDomain_Add(domain, byref(operator.layout))
    ort.api.AddCustomOpDomain(options, domain)
    ort.session(custom_model(), options)
    assert answers[0].get("my.key") == "my value"
