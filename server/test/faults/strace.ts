/* Reads a trace of system calls (`strace -f -xx`) to prove that no commit is acknowledged before it is synced. */

/** Size of a frame header: page number, then the size of the database if the frame ends a commit, else zero. */
const FRAME_HEADER_BYTES = 24;

/**
 * Returns the acknowledgements (`write(1, "ack <id>\n")`) that were written too early: before a successful fdatasync of
 * the `-wal` file that began after the last write of the row's commit.
 */
export function uncoveredAcks(trace: string, walFile: string): { acks: number; uncovered: string[] } {
  const reader = new TraceReader(walFile);
  for (const [time, line] of trace.split('\n').entries()) reader.read(time, line);
  return { acks: reader.acks, uncovered: reader.uncovered };
}

class TraceReader {
  acks = 0;
  readonly uncovered: string[] = [];
  readonly #walFile: string;
  readonly #walDescriptors = new Set<string>();
  /** The time at which the last page of each row's commit had been written. */
  readonly #committedAt = new Map<string, number>();
  /** Rows first seen in pages of the commit that is being written. */
  #open: string[] = [];
  #endsCommit = false;
  /** The time at which the last successful sync that has ended began. */
  #syncedUpTo = -1;
  /** Per thread, the call that has begun and not ended. */
  readonly #begun = new Map<string, { time: number; call: string }>();

  constructor(walFile: string) {
    this.#walFile = walFile;
  }

  read(time: number, line: string): void {
    const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (rest.endsWith('<unfinished ...>')) {
      const call = rest.slice(0, -'<unfinished ...>'.length);
      this.#begun.set(thread, { time, call });
      // An acknowledgement counts from its beginning, a page or a sync only from its end.
      if (call.startsWith('write(1,')) this.#acknowledged(textOf(call));
      return;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    if (resumed === null) {
      if (rest.startsWith('write(1,')) this.#acknowledged(textOf(rest));
      this.#call(rest, time, time);
      return;
    }
    const begun = this.#begun.get(thread);
    this.#begun.delete(thread);
    if (begun !== undefined) this.#call(begun.call + resumed[1], begun.time, time);
  }

  #call(call: string, began: number, ended: number): void {
    const [, name = '', args = '', result = ''] = /^(\w+)\((.*)\)\s+=\s+(-?\d+)/.exec(call) ?? [];
    const descriptor = /^\d+/.exec(args)?.[0] ?? '';
    if (name === 'openat' && textOf(args) === this.#walFile) this.#walDescriptors.add(result);
    if (name === 'close') this.#walDescriptors.delete(descriptor);
    if (!this.#walDescriptors.has(descriptor)) return;
    if (name === 'pwrite64') this.#written(textOf(args), ended);
    if ((name === 'fdatasync' || name === 'fsync') && result === '0') {
      this.#syncedUpTo = Math.max(this.#syncedUpTo, began);
    }
  }

  #written(content: string, time: number): void {
    if (content.length === FRAME_HEADER_BYTES) {
      this.#endsCommit = content.slice(4, 8) !== '\0\0\0\0';
      return;
    }
    for (const [id] of content.matchAll(/row \d+-\d+\./g)) {
      if (this.#committedAt.has(id)) continue;
      this.#committedAt.set(id, Number.POSITIVE_INFINITY);
      this.#open.push(id);
    }
    if (!this.#endsCommit) return;
    for (const id of this.#open) this.#committedAt.set(id, time);
    this.#open = [];
  }

  #acknowledged(text: string): void {
    for (const [, id = ''] of text.matchAll(/ack (row \d+-\d+\.)\n/g)) {
      this.acks++;
      const committedAt = this.#committedAt.get(id) ?? Number.POSITIVE_INFINITY;
      if (committedAt >= this.#syncedUpTo) this.uncovered.push(id);
    }
  }
}

/** Decodes the first string among a call's arguments, which `-xx` writes as `"\x61\x62…"`. */
function textOf(args: string): string {
  const hex = /"((?:\\x[0-9a-f]{2})*)"/.exec(args)?.[1] ?? '';
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex').toString('latin1');
}
