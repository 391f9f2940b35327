import type { Answer, Caller, Headed } from '../kit/person.ts';
import type { Random } from '../kit/random.ts';
import type { Ledger } from './sync.ledger.ts';

const FOLDERS = ['', 'f/', 'F/', 'g/', 'g/h/'];
const NAMES = ['a', 'b', 'c', 'Ä', 'x y'];

/**
 * How often things happen; `deletes` has many deletions, revivals and expiries of tombstones, `trash` also restores from
 * the trash, purges what is there and trims it; `swaps` exchanges names.
 */
export type Mode = 'ordinary' | 'deletes' | 'trash' | 'swaps';
export const MODES: readonly Mode[] = ['ordinary', 'deletes', 'trash', 'swaps'];

/** The relative frequency of each kind of request. */
const WEIGHTS = {
  ordinary: {
    create: 8,
    edit: 30,
    append: 15,
    rename: 15,
    renameFolder: 5,
    delete: 6,
    revive: 5,
    restore: 4,
    batch: 6,
    untrash: 0,
    purge: 0,
    swap: 0,
  },
  deletes: {
    create: 8,
    edit: 20,
    append: 10,
    rename: 10,
    renameFolder: 3,
    delete: 25,
    revive: 25,
    restore: 4,
    batch: 6,
    untrash: 0,
    purge: 0,
    swap: 0,
  },
  trash: {
    create: 8,
    edit: 20,
    append: 10,
    rename: 10,
    renameFolder: 3,
    delete: 35,
    revive: 12,
    restore: 4,
    batch: 6,
    untrash: 25,
    purge: 6,
    swap: 0,
  },
  swaps: {
    create: 8,
    edit: 20,
    append: 10,
    rename: 10,
    renameFolder: 3,
    delete: 6,
    revive: 5,
    restore: 4,
    batch: 6,
    untrash: 0,
    purge: 0,
    swap: 40,
  },
} as const;
const LOOKS = 10;

/** A note as somebody read it, perhaps long ago. */
interface Read {
  readonly id: string;
  readonly path: string;
  readonly content: string;
  readonly version: number;
}

/** REST requests of people beside those who type: each is based on a note as they once read it. */
export class Requests {
  readonly #random: Random;
  readonly #ledger: Ledger;
  readonly #headers: Headed;
  /** Readings of each note by id, old ones included. */
  readonly #read = new Map<string, Read[]>();
  /** Notes whose text may have been replaced by one that another document had. */
  readonly restored = new Set<string>();
  readonly #say: (what: string) => void;
  readonly #weights: (typeof WEIGHTS)[Mode];
  #key = 0;

  constructor(run: {
    readonly random: Random;
    readonly ledger: Ledger;
    readonly headers: Headed;
    readonly mode: Mode;
    say(what: string): void;
  }) {
    this.#say = run.say;
    this.#random = run.random;
    this.#ledger = run.ledger;
    this.#headers = run.headers;
    this.#weights = WEIGHTS[run.mode];
  }

  /** Ids of notes that once existed. */
  get notes(): string[] {
    return [...this.#read.keys()];
  }

  async next(caller: Caller): Promise<void> {
    const weights = this.#weights;
    const kinds: readonly [number, () => Promise<void>][] = [
      [weights.create, () => this.create(caller)],
      [weights.edit, () => this.#edit(caller)],
      [weights.append, () => this.#append(caller)],
      [weights.rename, () => this.#rename(caller)],
      [weights.renameFolder, () => this.#renameFolder(caller)],
      [weights.delete, () => this.#delete(caller)],
      [weights.revive, () => this.#revive(caller)],
      [weights.restore, () => this.#restore(caller)],
      [weights.batch, () => this.#batch(caller)],
      [weights.untrash, () => this.#untrash(caller)],
      [weights.purge, () => this.#purge(caller)],
      [weights.swap, () => this.#swap(caller)],
      [LOOKS, () => this.#look(caller)],
    ];
    let left = this.#random.below(kinds.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, make] of kinds) {
      if (left < weight) return make();
      left -= weight;
    }
  }

  async create(caller: Caller): Promise<void> {
    const links = this.notes.length > 0 ? `[[${this.#some().path.replace(/\.md$/, '')}]]\n` : '';
    const body = { path: this.#path(), content: this.#random.chance(0.2) ? '' : `${links}text\n`, mtime: 1 };
    // A version that never existed, or the hash of another text: it must not overwrite what is there.
    const named = this.#random.chance(0.7) ? { ...body, version: 0 } : { ...body, base_hash: 'x' };
    const { status, body: answer } = await this.#post(caller, '/notes', named);
    if (status === 200) this.#keep(answer.note);
    else await this.#fresh(caller, body);
  }

  /** Creates a note without version or base, at a path that was free. */
  async #fresh(caller: Caller, body: { path: string; content: string; mtime: number }): Promise<void> {
    const there = await caller.get(`/notes/${encodeURI(body.path)}`, this.#headers);
    if (there.status !== 404) return;
    // Somebody may have created a note there first; its text is then replaced.
    const { status, body: answer } = await this.#post(caller, '/notes', body);
    if (status !== 200) return;
    if (answer.note.version > 1) this.#ledger.rewritten(answer.note.id);
    this.#keep(answer.note);
  }

  /** Adds a line to the text as it was once read; the server merges it with later changes. */
  async #edit(caller: Caller): Promise<void> {
    const { id, path, content, version } = this.#some();
    const token = this.#ledger.mint();
    const lines = content.split('\n');
    lines.splice(this.#random.below(lines.length + 1), 0, token);
    this.#ledger.typed(id, [token]);
    const edit = { path, content: lines.join('\n'), version, mtime: 2 };
    const { status, body } = await this.#unsure(() => this.#post(caller, '/notes', edit));
    this.#took(id, token, status, body?.note, edit.content);
  }

  async #append(caller: Caller): Promise<void> {
    const { id, path } = this.#some();
    const token = this.#ledger.mint();
    this.#ledger.typed(id, [token]);
    const { status, body } = await this.#post(caller, '/notes/append', { path, text: `${token}\n` });
    this.#took(id, token, status, body?.note);
  }

  async #batch(caller: Caller): Promise<void> {
    const edits = [this.#some(), this.#some()].map(({ id, path, content, version }) => {
      const token = this.#ledger.mint();
      this.#ledger.typed(id, [token]);
      return { id, token, note: { path, content: `${token}\n${content}`, version, mtime: 3 } };
    });
    const sent = () => this.#post(caller, '/notes/batch', { notes: edits.map(({ note }) => note) });
    const { status, body } = await this.#unsure(sent);
    if (status !== 200) return;
    for (const [at, { id, token, note }] of edits.entries()) {
      const result = body.results[at];
      if (result.status === 'ok') this.#arrived(id, token, result.id, note.content);
    }
  }

  async #rename(caller: Caller): Promise<void> {
    const { path } = this.#some();
    const to = this.#random.chance(0.2) ? path.toUpperCase().replace(/MD$/, 'md') : this.#path();
    const { status, body } = await this.#post(caller, '/notes/rename', { old_path: path, new_path: to });
    if (status === 200) this.#keep(body.note);
  }

  async #renameFolder(caller: Caller): Promise<void> {
    const [from, to] = [this.#random.pick(FOLDERS), this.#random.pick(FOLDERS)];
    await this.#post(caller, '/folders/rename', { old_path: from, new_path: to });
  }

  /** Lets each of some notes take the path of the next one, as far as it is known. */
  async #swap(caller: Caller): Promise<void> {
    const some = new Map(
      Array.from({ length: 2 + this.#random.below(3) }, () => this.#last()).map((read) => [read.id, read]),
    );
    const notes = [...some.values()];
    const moves = notes.map(({ id, path: from }, at) => ({ id, from, path: notes[(at + 1) % notes.length]?.path }));
    const { status, body } = await this.#post(caller, '/vault/rename-many', { moves });
    if (status !== 200) return;
    for (const { id, path } of body.items) {
      const read = some.get(id);
      if (read !== undefined) this.#keep({ ...read, path });
    }
  }

  async #delete(caller: Caller): Promise<void> {
    const { id } = this.#some();
    const { status } = await caller.delete(`/notes/by-id/${id}`, undefined, this.#headers);
    this.#say(`deletes ${id} → ${status}`);
  }

  /** Creates a deleted note again under its id, with the text sent. */
  async #revive(caller: Caller): Promise<void> {
    const { id, path, content } = this.#some();
    if ((await caller.get(`/notes/by-id/${id}`, this.#headers)).status !== 404) return;
    await this.#rewrite(id, () => this.#post(caller, '/notes', { id, path, content, mtime: 4 }));
  }

  /**
   * Restores a deleted note with the text that it had: nothing acknowledged may be missing in it. Always to its last
   * path, because the edits here name no id: at another path, a version may be one of the note that was there before.
   */
  async #untrash(caller: Caller): Promise<void> {
    const id = await this.#trashed(caller);
    if (id === null) return;
    const { status, body } = await this.#post(caller, `/trash/${id}/restore`, {});
    if (status === 200) this.#keep(body.note);
  }

  async #purge(caller: Caller): Promise<void> {
    const id = await this.#trashed(caller);
    if (id === null) return;
    const { status } = await caller.delete(`/trash/${id}`, undefined, this.#headers);
    this.#say(`purges ${id} → ${status}`);
  }

  /** The id of a note in the trash; null when there is none. */
  async #trashed(caller: Caller): Promise<string | null> {
    const { status, body } = await caller.get('/trash', this.#headers);
    if (status !== 200 || body.items.length === 0) return null;
    return this.#random.pick(body.items as { id: string }[]).id;
  }

  async #restore(caller: Caller): Promise<void> {
    const { id, version } = this.#some();
    await this.#rewrite(id, () => this.#post(caller, `/notes/by-id/${id}/restore`, { version }));
  }

  /** Sends a request that replaces a note's whole text; without an answer it may or may not have happened. */
  async #rewrite(id: string, send: () => Promise<Answer>): Promise<void> {
    this.restored.add(id);
    try {
      const { status, body } = await send();
      if (status === 200) this.#ledger.rewritten(body.note.id);
      else if (status >= 500) this.#ledger.rewritten(id);
      if (status === 200) this.#keep(body.note);
    } catch (error) {
      this.#ledger.rewritten(id);
      throw error;
    }
  }

  async #look(caller: Caller): Promise<void> {
    const { status, body } = await caller.get(`/notes/by-id/${this.#some().id}`, this.#headers);
    if (status === 200) this.#keep(body);
  }

  #took(id: string, token: string, status: number, note: Read | undefined, sent = ''): void {
    if (status !== 200 || note === undefined) return;
    this.#arrived(id, token, note.id, sent);
    this.#keep(note);
  }

  /** An edit names its note by path: if another note with that version is there by now, its text is replaced. */
  #arrived(id: string, token: string, at: string, sent: string): void {
    if (at === id) this.#ledger.acknowledged(id, [token], []);
    else this.#ledger.misdirected(at, sent);
  }

  /** An edit by path whose answer was lost may have changed any note. */
  async #unsure(send: () => Promise<Answer>): Promise<Answer> {
    const all = () => {
      for (const id of this.notes) this.#ledger.rewritten(id);
    };
    const answer = await send().catch((error) => {
      all();
      throw error;
    });
    if (answer.status >= 500) all();
    return answer;
  }

  #keep({ id, path, content, version }: Read): void {
    this.#read.set(id, [...(this.#read.get(id) ?? []), { id, path, content, version }].slice(-4));
  }

  #some(): Read {
    const readings = this.#read.get(this.#random.pick(this.notes)) ?? [];
    return this.#random.chance(0.7) ? (readings.at(-1) as Read) : this.#random.pick(readings);
  }

  /** A note as it was read last. */
  #last(): Read {
    return this.#read.get(this.#random.pick(this.notes))?.at(-1) as Read;
  }

  #path(): string {
    return `${this.#random.pick(FOLDERS)}${this.#random.pick(NAMES)}.md`;
  }

  async #post(caller: Caller, path: string, body: unknown): Promise<Answer> {
    this.#key += 1;
    const answer = await caller.post(path, body, { ...this.#headers, 'x-idempotency-key': `key-${this.#key}` });
    this.#say(
      `${path} ${JSON.stringify(body)} → ${answer.status} ${answer.body?.note?.id ?? ''} v${answer.body?.note?.version}`,
    );
    if (answer.status === 401 || (answer.status >= 500 && answer.status !== 503)) {
      throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return answer;
  }
}
