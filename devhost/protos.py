"""The few message types that Microsoft's worker library asks its host for, without protobuf behind them.

The library builds these and hands them back; nobody serialises them, so a bag of named values is enough.
Source: azure-functions-runtime 1.3.0, loader.py and handle_event.py.
"""

from types import SimpleNamespace


class BindingInfo(SimpleNamespace):
    """A binding as the library describes it; the constants are its directions and data types."""

    inout = 2
    out = 1
    undefined = 0


class StatusResult(SimpleNamespace):
    """How a request to the library ended."""

    Failure = 0
    Success = 1


PROTOS = SimpleNamespace(
    BindingInfo=BindingInfo,
    StatusResult=StatusResult,
    FunctionMetadataResponse=SimpleNamespace,
    RpcException=SimpleNamespace,
    RpcFunctionMetadata=SimpleNamespace,
    RpcRetryOptions=SimpleNamespace,
    WorkerInitResponse=SimpleNamespace,
    WorkerMetadata=SimpleNamespace,
)
