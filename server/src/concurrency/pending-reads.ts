/** Commits of a store that can be read before they are on disk, numbered from 1. */
export interface CommitLog {
  /** The newest commit that a read may have seen by now. */
  readonly newest: number;
  /**
   * Resolves once this commit and all earlier ones are on disk, with those of other processes so far. Rejects when the
   * disk failed. Returns undefined when there is nothing to wait for.
   */
  onDisk(commit: number): Promise<void> | undefined;
}

/**
 * The rows that a request has read and that may not be on disk yet. Its reads return at once, and the request waits for
 * the disk a single time, before its answer leaves.
 */
export class PendingReads {
  #log: CommitLog | undefined;
  #newest = 0;
  #ended = false;

  /** Records a read. Returns false once the answer may have left: then the read has to wait for the disk itself. */
  add(log: CommitLog): boolean {
    if (this.#ended) return false;
    this.#log = log;
    this.#newest = log.newest;
    return true;
  }

  /** Resolves once everything that was read is on disk; rejects when the disk failed. Undefined: nothing to wait for. */
  onDisk(): Promise<void> | undefined {
    this.#ended = true;
    return this.#log?.onDisk(this.#newest);
  }
}
