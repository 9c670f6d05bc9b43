"""Sessions and values under the name that they have in ONNX Runtime."""

from linnet.onnxruntime.binding import IOBinding
from linnet.onnxruntime.session import InferenceSession, Session
from linnet.onnxruntime.unsupported import NAMES, refuse
from linnet.onnxruntime.values import OrtDevice, OrtValue


def __getattr__(name):
    return refuse(__name__, name, NAMES)
