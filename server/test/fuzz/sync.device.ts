import { createHash } from 'node:crypto';
import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import * as Y from 'yjs';
import type { App } from '../../src/app.ts';
import { headOf, snapshotOf } from '../../src/domains/content/notes/merge/document.ts';
import type { LiveNote, Watcher } from '../../src/domains/content/notes/notes.ts';
import type { Random } from '../kit/random.ts';
import { inTime } from '../kit/until.ts';
import type { Ledger } from './sync.ledger.ts';
import { Line } from './sync.line.ts';
import type { Process } from './sync.servers.ts';

/** An edit made on the device that may not have arrived. */
interface Draft {
  readonly update: Uint8Array;
  readonly typed: readonly string[];
  readonly removed: readonly string[];
}

/** Identifies the state of a document, as in a manifest. */
export interface Fingerprint {
  readonly head: string;
  readonly hash: string;
}

/** The device's copy of a note. */
class Copy {
  readonly doc = new Y.Doc();
  live: LiveNote | Line | undefined;
  drafts: Draft[] = [];
  readonly typed = new Set<string>();
  readonly removed = new Set<string>();
  #fingerprint: Fingerprint | null = null;

  constructor() {
    this.doc.on('update', () => {
      this.#fingerprint = null;
    });
  }

  /** Computed once for each state of the document. */
  get fingerprint(): Fingerprint {
    this.#fingerprint ??= {
      head: headOf(snapshotOf(this.doc)),
      hash: createHash('sha256').update(this.text).digest('hex'),
    };
    return this.#fingerprint;
  }

  get text(): string {
    return this.doc.getText('content').toString();
  }

  leave(): void {
    this.live?.[Symbol.dispose]();
    this.live = undefined;
  }
}

/** An answer that an honest client should never get. */
export class Refused extends Error {}

/**
 * An installation that edits documents. It types whether or not it is connected; its edits may get lost, arrive twice
 * or in any order, as long as it syncs in the end.
 */
export class Device {
  readonly name: string;
  readonly #random: Random;
  readonly #ledger: Ledger;
  readonly #vault: VaultId;
  readonly #sockets: boolean;
  readonly #report: (what: string) => void;
  readonly #copies = new Map<string, Copy>();

  /**
   * @param sockets whether to use real sockets instead of the documents themselves.
   * @param report receives answers outside a call that an honest client should never get.
   */
  constructor(
    name: string,
    run: {
      readonly random: Random;
      readonly ledger: Ledger;
      readonly vault: string;
      readonly sockets: boolean;
      report(what: string): void;
    },
  ) {
    const { random, ledger, vault, sockets, report } = run;
    this.#sockets = sockets;
    this.#report = report;
    this.name = name;
    this.#random = random;
    this.#ledger = ledger;
    this.#vault = vault as VaultId;
  }

  /** Ids of the notes that it has a copy of. */
  get notes(): string[] {
    return [...this.#copies.keys()];
  }

  docOf(note: string): Y.Doc | undefined {
    return this.#copies.get(note)?.doc;
  }

  fingerprintOf(note: string): Fingerprint | undefined {
    return this.#copies.get(note)?.fingerprint;
  }

  /** Connects to a note and syncs it, in either order. False when the note does not exist. */
  async join(to: Process, note: string): Promise<boolean> {
    const copy = this.#copies.get(note) ?? new Copy();
    copy.leave();
    const live = await this.#open(to, note, {
      update: (update) => Y.applyUpdate(copy.doc, update, 'server'),
      closed: () => {
        copy.live = undefined;
      },
    });
    if (live === null) return false;
    this.#copies.set(note, copy);
    copy.live = live;
    await this.#sync(note, copy);
    return true;
  }

  /** Syncs a note over the existing connection or a new one. False when the note does not exist. */
  async sync(to: Process, note: string): Promise<boolean> {
    const copy = this.#copies.get(note);
    if (copy?.live === undefined) return this.join(to, note);
    await this.#sync(note, copy);
    return true;
  }

  async #sync(note: string, copy: Copy): Promise<void> {
    const mineFirst = this.#random.chance(0.5) && copy.text !== '';
    if (mineFirst) await this.#push(note, copy);
    await this.#pull(copy);
    if (!mineFirst) await this.#push(note, copy);
  }

  /**
   * Imitates a faulty client, which starts its own document for the note and sends that. Throws unless the server
   * refuses it.
   */
  async intrude(app: Pick<App, 'vaults' | 'notes'>, note: string): Promise<void> {
    const vault = await app.vaults.openAsSystem(this.#vault);
    if (vault === null) return;
    const watcher = { update: () => undefined, closed: () => undefined };
    using live = await app.notes.live.open(vault, note as NoteId, watcher);
    const doc = new Y.Doc();
    doc.getText('content').insert(0, 'foreign\n');
    const answers = [
      await live.missingFor(Y.encodeStateVector(doc)),
      ...(await live.apply([Y.encodeStateAsUpdate(doc)], { kind: 'session', name: this.name })),
    ];
    if (answers.some((answer) => answer !== 'foreign')) throw new Refused(`foreign text was answered ${answers[1]}`);
  }

  leave(note: string): void {
    this.#copies.get(note)?.leave();
  }

  leaveAll(): void {
    for (const copy of this.#copies.values()) copy.leave();
  }

  async #open({ server, token }: Process, note: string, watcher: Watcher): Promise<LiveNote | Line | null> {
    if (this.#sockets) {
      const refused = (reason: string) => this.#report(`${this.name} was closed for ${reason} at note ${note}`);
      return inTime(server.clock, Line.open({ url: server.url, token }, note, watcher, refused));
    }
    const { vaults, notes } = server.app;
    const vault = await vaults.openAsSystem(this.#vault);
    return vault === null ? null : notes.live.open(vault, note as NoteId, watcher);
  }

  /** Types a line somewhere, or removes one. */
  type(note: string): void {
    const copy = this.#copies.get(note);
    if (copy === undefined || copy.doc.store.clients.size === 0) return;
    const content = copy.doc.getText('content');
    const before = Y.encodeStateVector(copy.doc);
    const { text } = copy;
    const tokens = [...text.matchAll(/<\d+>\n?/g)];
    const typed: string[] = [];
    const removed: string[] = [];
    copy.doc.transact(() => {
      const found = tokens.length > 3 && this.#random.chance(0.3) ? this.#random.pick(tokens) : undefined;
      if (found !== undefined) {
        content.delete(found.index, found[0].length);
        removed.push(found[0].trim());
        return;
      }
      const token = this.#ledger.mint();
      const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1), text.length];
      content.insert(this.#random.pick(starts), `${token}\n`);
      typed.push(token);
    });
    this.#ledger.typed(note, typed);
    this.#ledger.doomed(note, removed);
    for (const token of typed) copy.typed.add(token);
    for (const token of removed) copy.removed.add(token);
    copy.drafts.push({ update: Y.encodeStateAsUpdate(copy.doc, before), typed, removed });
  }

  /** Sends pending edits as over a bad connection: some never, some twice, in any order, several at once. */
  async send(note: string): Promise<void> {
    const copy = this.#copies.get(note);
    if (copy?.live === undefined) return;
    const drafts = copy.drafts.splice(0).filter(() => this.#random.chance(0.9));
    if (this.#random.chance(0.3)) drafts.reverse();
    const again = drafts.filter(() => this.#random.chance(0.15));
    const { live } = copy;
    const calls = [drafts, ...again.map((draft) => [draft])];
    const answers = await Promise.all(calls.map((call) => this.#give(note, live, call)));
    if (answers.flat().includes('missing') && copy.live === live) {
      await this.#pull(copy);
      await this.#push(note, copy);
    }
  }

  async #pull(copy: Copy): Promise<void> {
    const missing = await copy.live?.missingFor(Y.encodeStateVector(copy.doc));
    if (typeof missing === 'string') throw new Refused(`${missing} state vector`);
    if (missing !== undefined) Y.applyUpdate(copy.doc, missing, 'server');
  }

  async #push(note: string, copy: Copy): Promise<void> {
    const { live } = copy;
    if (live === undefined) return;
    const all = { typed: [...copy.typed], removed: [...copy.removed] };
    const update = Y.encodeStateAsUpdate(copy.doc, await live.stateVector());
    const [answer] = await this.#give(note, live, [{ update, ...all }]);
    if (answer !== 'missing') copy.drafts = [];
  }

  /** Several edits are sent together, as they arrive over a slow connection. */
  async #give(note: string, live: LiveNote | Line, drafts: readonly Draft[]): Promise<string[]> {
    const updates = drafts.map(({ update }) => update);
    const answers: string[] = await live.apply(updates, { kind: 'session', name: this.name });
    for (const [index, { typed, removed }] of drafts.entries()) {
      const answer = answers[index];
      if (answer === 'stored' || answer === 'known') this.#ledger.acknowledged(note, typed, removed);
      else if (answer !== 'missing') throw new Refused(`${answer} update`);
    }
    return answers;
  }
}
