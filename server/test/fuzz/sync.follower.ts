import type { Answer, Caller, Headed } from '../kit/person.ts';
import type { Random } from '../kit/random.ts';

type Row = Answer['body'];

/** A client that keeps a copy of a vault's list from the change feed alone. */
export class Follower {
  readonly #rows = new Map<string, Row>();
  readonly #device: string;
  #cursor = '';
  #last = 0;

  constructor(device: string) {
    this.#device = device;
  }

  /** Reads a page; resolves to whether rows were left. Starts again when its cursor has expired. */
  async read(caller: Caller, headers: Headed, random: Random): Promise<boolean> {
    const limit = 1 + random.below(20);
    const device = { 'x-device-id': this.#device };
    const path = `/sync/changes?limit=${limit}&cursor=${this.#cursor}`;
    const { status, body } = await caller.get(path, { ...headers, ...device });
    if (status === 410) {
      this.#rows.clear();
      [this.#cursor, this.#last] = ['', 0];
      return true;
    }
    // The server is being killed.
    if (status >= 500) return true;
    if (status !== 200) throw new Error(`a page was answered ${status}`);
    for (const row of body.changes) {
      if (row.seq <= this.#last) throw new Error(`seq ${row.seq} came after ${this.#last}`);
      this.#last = row.seq;
      if (row.deleted) this.#rows.delete(row.id);
      else this.#rows.set(row.id, row);
    }
    this.#cursor = body.resume_cursor;
    return body.has_more;
  }

  async readAll(caller: Caller, headers: Headed, random: Random): Promise<void> {
    while (await this.read(caller, headers, random));
  }

  /** Its copy of the list, in the form that `listOf` gives a manifest. */
  get list(): string[] {
    return [...this.#rows.values()].map(lineOf).sort();
  }
}

export function listOf(manifest: Answer['body']): string[] {
  return [...manifest.notes, ...manifest.attachments].map(lineOf).sort();
}

function lineOf({ seq, id, content_hash, path }: Row): string {
  return `${seq} ${id} ${content_hash} ${path}`;
}
