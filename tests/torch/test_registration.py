"""register_deform_conv2d: torchvision::deform_conv2d without torchvision.

Each part runs in a separate process, because an operator can only be registered once per process.
"""

import pytest
import torch
from installation import HAS_DYNAMO, needs_torchvision

pytestmark = pytest.mark.usefixtures("torch_ops")


def test_registers_the_engines_kernel(run_python):
    run_python("""
assert linnet_torch.register_deform_conv2d() and not linnet_torch.register_deform_conv2d()
x, w, offset = torch.rand(1, 2, 5, 5), torch.rand(3, 2, 3, 3), torch.randn(1, 18, 3, 3)
arguments = x, w, offset, torch.zeros(1, 1), torch.zeros(3), 1, 1, 0, 0, 1, 1, 1, 1, False
assert torch.equal(*(library.deform_conv2d(*arguments) for library in (torch.ops.torchvision, torch.ops.linnet)))
assert 'torchvision' not in sys.modules
""")


@needs_torchvision
def test_after_torchvision_nothing_is_registered(run_python):
    run_python("import torchvision\nassert not linnet_torch.register_deform_conv2d()")


@needs_torchvision
def test_torchscript_file_loads_without_torchvision(run_python, tmp_path):
    import torchvision

    torch.manual_seed(2)
    scripted = torch.jit.script(torchvision.ops.DeformConv2d(3, 4, 3))
    scripted.save(tmp_path / "deform.pt")
    x, offset = torch.randn(1, 3, 6, 6), torch.randn(1, 18, 4, 4)
    torch.save({"x": x, "offset": offset, "y": scripted(x, offset).detach()}, tmp_path / "data.pt")
    program = """
linnet_torch.register_deform_conv2d()
data = torch.load(sys.argv[2])
with torch.no_grad(): y = torch.jit.load(sys.argv[1])(data["x"], data["offset"])
assert torch.allclose(y, data["y"], atol=1e-5)
"""
    run_python(program, tmp_path / "deform.pt", tmp_path / "data.pt")


@pytest.mark.skipif(not HAS_DYNAMO, reason="this PyTorch has no dynamo exporter")
def test_operator_named_as_torchvisions_exports_with_dynamo(run_python, tmp_path, run_model):
    """The operator with torchvision's name and schema replaces torchvision's if that is not installed."""
    program = """
linnet_torch.register_deform_conv2d()
class Deform(torch.nn.Module):
    def forward(self, x, w, offset, b):
        return torch.ops.torchvision.deform_conv2d(x, w, offset, x.new_zeros(1, 1), b, 1, 1, 0, 0, 1, 1, 1, 1, False)
args = torch.rand(1, 2, 5, 5), torch.rand(3, 2, 3, 3), torch.randn(1, 18, 3, 3), torch.rand(3)
for form in ("custom", "standard"):
    linnet_torch.export(Deform(), args, sys.argv[1], exporter="dynamo", deform_conv=form, run_model=sys.argv[2])
"""
    run_python(program, tmp_path / "deform.onnx", run_model.binary)
