/** A file that a server hands out to anyone. */
export interface Download {
  readonly name: string;
  readonly size_bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly url: string;
}

/** The answer of `/download/` to clients that do not ask for HTML. */
export interface DownloadList {
  /** The version of the server, and so of its clients. */
  readonly version: string;
  readonly files: readonly Download[];
}
