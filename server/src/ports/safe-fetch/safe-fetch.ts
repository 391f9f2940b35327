/** A document as a server elsewhere gave it. */
export interface FetchedDocument {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The document cannot be had: a reason of ours, never what the other side said. */
export class FetchError extends Error {
  override readonly name = 'WebError';
  readonly code: 'not_https' | 'not_public' | 'unreachable' | 'too_slow' | 'too_large' | 'overloaded';
  constructor(code: FetchError['code'], cause?: unknown) {
    super(`the document cannot be fetched: ${code}`, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/**
 * Documents of strangers on the public internet, fetched because somebody without an account named their address. Over
 * https only, without following redirects, within bounds of time and size, and never from an address of this machine or
 * of a network that is not public, whatever a name resolves to.
 */
export interface SafeFetch {
  /** Throws FetchError. */
  get(url: string): Promise<FetchedDocument>;
}
