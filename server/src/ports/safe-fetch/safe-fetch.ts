export interface FetchedDocument {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The document cannot be fetched. The reason is one of our codes, never a text of the other side. */
export class FetchError extends Error {
  override readonly name = 'WebError';
  readonly code: 'not_https' | 'not_public' | 'unreachable' | 'too_slow' | 'too_large' | 'overloaded';
  constructor(code: FetchError['code'], cause?: unknown) {
    super(`the document cannot be fetched: ${code}`, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/**
 * Fetches documents of untrusted parties on the public internet, whose addresses may come from callers without an
 * account. Only over https, without following redirects, within limits of time and size, and never from this machine or
 * a private network, even if a name resolves to one.
 */
export interface SafeFetch {
  /** Throws FetchError. */
  get(url: string): Promise<FetchedDocument>;
}
