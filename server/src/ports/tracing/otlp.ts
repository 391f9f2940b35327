import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Span, SpanStart, Tracing } from './tracing.ts';

export interface OtlpOptions {
  /** Base URL of the collector; traces go to `/v1/traces` below it. */
  readonly url: string;
  readonly version: string;
  readonly random: (count: number) => Buffer;
  /** Called when sending spans fails for the first time after a success. */
  readonly failed: () => void;
  /** How long spans wait to be sent in a batch. */
  readonly batchMs?: number;
  /** Timeout of one batch with all its attempts, and of all batches when the process ends. */
  readonly sendMs?: number;
}

const BATCH_MS = 2_000;
/** Maximum waiting spans; later ones are dropped. */
const WAITING_MAX = 4_096;
const BATCH_MAX = 512;
const SEND_MS = 3_000;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

interface Current {
  readonly context: Context;
  ended: boolean;
}

/**
 * Sends spans to an OpenTelemetry collector (OTLP over HTTP, JSON). Nothing is registered globally, and nothing about
 * the machine is sent. Headers, certificates and compression come from OpenTelemetry's own variables,
 * `OTEL_EXPORTER_OTLP_…`.
 */
export function otlpTracing(options: OtlpOptions): Tracing {
  const { url, version, random, failed, batchMs = BATCH_MS, sendMs = SEND_MS } = options;
  const exporter = new OTLPTraceExporter({ url: `${url.replace(/\/+$/, '')}/v1/traces`, timeoutMillis: sendMs });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'notevault', 'service.version': version }),
    idGenerator: {
      generateTraceId: () => random(16).toString('hex'),
      generateSpanId: () => random(8).toString('hex'),
    },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: watched(exporter, failed),
        scheduledDelayMillis: batchMs,
        exportTimeoutMillis: 2 * sendMs,
        maxQueueSize: WAITING_MAX,
        maxExportBatchSize: BATCH_MAX,
      }),
    ],
  });
  const tracer = provider.getTracer('notevault', version);
  const storage = new AsyncLocalStorage<Current>();

  function inside(): Current | undefined {
    const current = storage.getStore();
    // Work that outlives a request (a timer, a connection) no longer belongs to its span.
    return current === undefined || current.ended ? undefined : current;
  }

  function begin(name: string, { kind, traceparent, labels = {} }: SpanStart): Span {
    const parent = remoteParent(traceparent) ?? inside()?.context ?? ROOT_CONTEXT;
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes: labels }, parent);
    const current: Current = { context: trace.setSpan(parent, span), ended: false };
    return {
      within: (work) => storage.run(current, work),
      end({ failed, labels = {} }) {
        if (current.ended) return;
        current.ended = true;
        span.setAttributes(labels);
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  return {
    get isInside() {
      return inside() !== undefined;
    },
    begin,
    async [Symbol.asyncDispose]() {
      const given = new AbortController();
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, delay(sendMs, undefined, { signal: given.signal }).catch(() => undefined)]);
      given.abort();
    },
  };
}

/** The caller's `tracestate` is dropped, because it is free text. */
function remoteParent(traceparent: string | undefined): Context | null {
  const parsed = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parsed === null ? null : trace.setSpanContext(ROOT_CONTEXT, { ...parsed, isRemote: true });
}

/** Reports when sending begins to fail, which the libraries do not. */
function watched(exporter: SpanExporter, failed: () => void): SpanExporter {
  let failing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const fails = result.code !== ExportResultCode.SUCCESS;
        if (fails && !failing) failed();
        failing = fails;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
