"""Tests that Linnet's library fails on purpose, each with its reason; ONNX Runtime's library passes them."""

REFUSED = "a null pointer is refused at once, where the real library takes it and crashes later, or does not look at it"

# The name of the module, of the test, and of its parameters without that of the library.
DIFFERENCES = {
    "test_abi_initializers::test_external_weights_must_fit": "a weight that is in the model itself may be replaced, too",
    "test_abi_kernel_context::test_the_output_that_the_caller_gave": "kernels write to memory of the engine",
    "test_abi_kernel_context::test_operators_that_cannot_be_called": "types and versions are checked when the operator is called",
    "test_abi_kernel_info::test_names_of_the_node_and_its_values": "values of a node are known by their places, not by names",
    "test_abi_kernel_info::test_types_of_the_values": "the shapes that outputs of the model declare are not known to kernels",
    "test_abi_loading::test_models_with_faults_are_refused[type that the operator lacks]": "refused when it runs",
    "test_abi_loading::test_models_with_faults_are_refused[type that no kernel has]": "Linnet has that kernel",
    "test_abi_model_info::test_a_denotation_is_kept": "denotations of types are not kept",
    "test_abi_model_info::test_free_dims_may_be_fixed[False]": "denotations of dims are not kept",
    "test_abi_run::test_an_input_that_is_declared_as_a_scalar_has_any_shape[shape1]": "one element becomes a scalar",
    "test_abi_run::test_an_input_that_is_declared_as_a_scalar_has_any_shape[shape2]": "shapes are checked",
    "test_abi_run::test_an_input_that_is_declared_as_a_scalar_has_any_shape[shape3]": "shapes are checked",
    "test_abi_devices::test_memory_of_other_devices_is_not_imported": "the table for memory of other devices is refused",
    "test_abi_model_editor::test_graphs_say_what_they_have": "Graph_GetModelMetadata is refused",
    "test_abi_shared_allocators::test_results_are_in_memory_of_the_callers_allocator": "results are in Linnet's memory",
    "test_abi_shared_allocators::test_statistics_of_allocators": "Linnet's allocator counts nothing",
    "test_abi_session_options::test_some_entries_are_checked_by_sessions[blocks]":
        "entries that tune how ONNX Runtime divides work are kept without effect",
}  # fmt: skip
DIFFERENCES |= {
    f"test_abi_nulls::test_null_pointers_answer_as_in_the_real_library[{slot}]": REFUSED
    for slot in ("CustomOpDomain_Add", "AddCustomOpDomain", "RegisterCustomOpsLibrary", "RegisterCustomOpsLibrary_V2",
                 "RegisterCustomOpsUsingFunction", "CreateTensorWithDataAsOrtValue", "CreateTensorWithDataAndDeleterAsOrtValue",
                 "CreateSparseTensorWithValuesAsOrtValue", "CreateOpaqueValue", "EnableOrtCustomOps",
                 "SessionOptionsAppendExecutionProvider", "UpdateEnvWithCustomLogLevel")
}  # fmt: skip
DIFFERENCES |= {
    f"test_abi_nulls::test_null_pointers_answer_as_in_the_real_library[{slot}]": "Linnet does not implement this function"
    for slot in ("SessionOptionsAppendExecutionProvider_CUDA_V2",)
}  # fmt: skip
