import { NotevaultError } from '@notevault/protocol/errors.ts';

/** The labels of a span: fixed words, route patterns and numbers, never a text or an address of a user. */
export type SpanLabels = Readonly<Record<string, string | number>>;

/** Records spans: operations with their duration and parent. No call waits or throws. */
export interface Tracing extends AsyncDisposable {
  /** Whether the current code runs inside a span that has not ended. */
  readonly isInside: boolean;
  /** Starts a child of `traceparent` if that is given and well-formed, else of the current span, else a root. */
  begin(name: string, begun: SpanStart): Span;
}

export interface SpanStart {
  /** `server`: answers a request; `client`: makes a request; `internal`: neither. */
  readonly kind: 'server' | 'client' | 'internal';
  /** The caller's `traceparent` header (W3C Trace Context, level 1). */
  readonly traceparent?: string | undefined;
  readonly labels?: SpanLabels;
}

export interface Span {
  /** Runs `work` inside this span: spans started by it, or by what it awaits, become children of this one. */
  within<T>(work: () => T): T;
  /** Ends the span; later calls do nothing. */
  end(ended: { readonly failed: boolean; readonly labels?: SpanLabels }): void;
}

/** Runs `work` in a new span, which failed if `work` threw anything but an error of the catalogue. */
export async function inSpan<T>(tracing: Tracing, name: string, begun: SpanStart, work: () => Promise<T>): Promise<T> {
  const span = tracing.begin(name, begun);
  try {
    const result = await span.within(work);
    span.end({ failed: false });
    return result;
  } catch (error) {
    span.end({ failed: !(error instanceof NotevaultError) });
    throw error;
  }
}
