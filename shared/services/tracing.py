"""The queue side of a trace: the span of one delivery continues the trace of the request that caused its message."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from shared.domain.errors import told


@contextmanager
def continued(traceparent: str, name: str, attributes: Mapping[str, str | int]) -> Iterator[None]:
    """Inside, a consumer span is current: a child of the W3C `traceparent`, or of what is current where that is empty.

    It costs nothing to speak of where no exporter is set up. An exception that leaves marks the span by its kind alone,
    since its text may quote anything.
    """
    from opentelemetry import trace  # 13 ms of cold start that a submit does not need
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    parent = TraceContextTextMapPropagator().extract({"traceparent": traceparent}) if traceparent else None
    with trace.get_tracer("fixit").start_as_current_span(
        name,
        context=parent,
        kind=trace.SpanKind.CONSUMER,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield
        except BaseException as error:
            span.set_status(trace.StatusCode.ERROR, told(error))
            raise
