#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace linnet::torch_ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

/// Returns y = 2a + b with PyTorch's broadcasting and type promotion (bool counts as int64, as in `2 * a`). It is
/// composed of ATen operators, so it runs on every device, including meta.
at::Tensor my_add(const at::Tensor& a, const at::Tensor& b) { return 2 * a + b; }

/// PyTorch sums the gradients over broadcast dims and casts them to the inputs' types.
struct MyAdd : torch::autograd::Function<MyAdd> {
  static Variable forward(AutogradContext*, const Variable& a, const Variable& b) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    static const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow("linnet::my_add", "").typed<decltype(my_add)>();
    return op.call(a, b);
  }
  static variable_list backward(AutogradContext*, const variable_list& grad) { return {2 * grad[0], grad[0]}; }
};

at::Tensor my_add_with_gradient(const at::Tensor& a, const at::Tensor& b) { return MyAdd::apply(a, b); }

TORCH_LIBRARY_FRAGMENT(linnet, m) { m.def("my_add(Tensor a, Tensor b) -> Tensor"); }
// Because the operator has an implementation for each device and its own gradient, torch.export and torch.compile do
// not decompose it.
TORCH_LIBRARY_IMPL(linnet, CompositeExplicitAutograd, m) { m.impl("my_add", my_add); }
TORCH_LIBRARY_IMPL(linnet, Autograd, m) { m.impl("my_add", my_add_with_gradient); }

}  // namespace
}  // namespace linnet::torch_ops
