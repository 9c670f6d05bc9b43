"""Tests that Linnet's library fails intentionally, each with its reason. ONNX Runtime's library passes them."""

REFUSED = "a null pointer is refused at once, where the real library takes it and crashes later, or does not look at it"

# The names of the module, of the test, and of its parameters without that of the library.
DIFFERENCES = {
    "test_abi_initializers::test_external_weights_must_fit": "a weight that is in the model itself may be replaced, too",
    "test_abi_kernel_context::test_operators_that_cannot_be_called": "types and versions are checked when the operator is called",
    "test_abi_loading::test_models_with_faults_are_refused[type that the operator lacks]": "refused when it runs",
    "test_abi_loading::test_models_with_faults_are_refused[type that no kernel has]": "Linnet has that kernel",
    "test_abi_nulls::test_null_pointers_answer_as_in_the_real_library[SessionOptionsAppendExecutionProvider_CUDA_V2]":
        "the real library looks at the provider's options, before it says that it lacks the provider",
    "test_abi_run::test_an_input_that_is_declared_as_a_scalar_has_any_shape[shape1]": "one element becomes a scalar",
    "test_abi_run::test_an_input_that_is_declared_as_a_scalar_has_any_shape[shape2]": "shapes are checked",
    "test_abi_run::test_an_input_that_is_declared_as_a_scalar_has_any_shape[shape3]": "shapes are checked",
}  # fmt: skip
DIFFERENCES |= {
    f"test_abi_nulls::test_null_pointers_answer_as_in_the_real_library[{slot}]": REFUSED
    for slot in ("CustomOpDomain_Add", "AddCustomOpDomain", "CreateTensorWithDataAsOrtValue",
                 "CreateTensorWithDataAndDeleterAsOrtValue", "CreateSparseTensorWithValuesAsOrtValue")
}  # fmt: skip
