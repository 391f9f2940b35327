import { NotevaultError } from '@notevault/protocol/errors.ts';

/** What a span tells beside its name and times: words of ours, route patterns, numbers. Never a text or an address of anybody’s. */
export type SpanLabels = Readonly<Record<string, string | number>>;

/** Takes down what was done, how long it took, and what it was a part of. Nothing of it waits for anybody or throws. */
export interface Tracing extends AsyncDisposable {
  /** Whether this runs in a span that has not ended. */
  readonly isInside: boolean;
  /** Begins a span: a part of `traceparent` where that is given and well-formed, else of the span this runs in, else of none. */
  begin(name: string, begun: SpanStart): Span;
}

export interface SpanStart {
  /** `server`: answers somebody; `client`: asks somebody; `internal`: neither. */
  readonly kind: 'server' | 'client' | 'internal';
  /** The caller's `traceparent` header (W3C Trace Context, level 1). */
  readonly traceparent?: string | undefined;
  readonly labels?: SpanLabels;
}

export interface Span {
  /** Runs `work` in this span: what is begun by it, or by what it waits for, is a part of this one. */
  within<T>(work: () => T): T;
  /** Ends the span; later calls do nothing. */
  end(ended: { readonly failed: boolean; readonly labels?: SpanLabels }): void;
}

/** Runs `work` in a span of its own, which failed when `work` did: an answer of the error catalogue is no failure. */
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
