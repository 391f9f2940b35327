import { setTimeout } from 'node:timers/promises';
import { AcknowledgingClient } from '../kit/clients/acknowledging-client.ts';
import { Caller } from '../kit/person.ts';
import type { Random } from '../kit/random.ts';
import { checkWords, type TypedWords } from './typed-words.ts';

const PEOPLE = 6;
const NOTES = 2;
/** Unacknowledged words of a client. */
const AHEAD = 4;
/**
 * Pause of a client after each write. A backup runs at the lowest priority: on a processor that writers keep busy it would
 * take minutes, and so would the checks of all that they write meanwhile.
 */
const PAUSE_MS = 100;

export function pause(): Promise<void> {
  return setTimeout(PAUSE_MS);
}

/** Clients that type into notes of their own while backups are taken. */
export class Typists implements Disposable {
  readonly people: readonly AcknowledgingClient[];
  readonly #vault: string;
  readonly #random: Random;

  /** Makes a vault with the notes that they type into. */
  static async create(caller: Caller, random: Random): Promise<Typists> {
    const { body } = await caller.post('/vaults', { name: 'Typed' });
    const notes: string[] = [];
    for (let at = 0; at < NOTES; at++) {
      const note = { path: `typed-${at}.md`, content: '', mtime: 1 };
      notes.push((await caller.post('/notes', note, { 'x-vault-id': body.vault.id })).body.note.id);
    }
    return new Typists(body.vault.id, notes, random);
  }

  private constructor(vault: string, notes: readonly string[], random: Random) {
    this.#vault = vault;
    this.people = Array.from({ length: PEOPLE }, (_, at) => new AcknowledgingClient(`p${at}`, notes[at % NOTES] ?? ''));
    this.#random = random;
  }

  /** Connects all, who then type until the server ends. */
  async type(url: string, token: string): Promise<{ readonly ended: Promise<unknown> }> {
    await Promise.all(this.people.map((person) => person.join(url, token)));
    return { ended: Promise.all(this.people.map((person) => this.#type(person))) };
  }

  /** Returns the words acknowledged so far. */
  acknowledged(): TypedWords[] {
    return this.people.map(({ note, acknowledged }) => ({ note, acknowledged: new Set(acknowledged), faults: [] }));
  }

  /** Checks on a server that these words are in the notes. */
  check(url: string, token: string, words: readonly TypedWords[]): Promise<string[]> {
    const headers = { authorization: `Bearer ${token}`, 'x-vault-id': this.#vault };
    return checkWords(new Caller(url, async () => headers), words);
  }

  [Symbol.dispose](): void {
    for (const person of this.people) person.leave();
  }

  async #type(person: AcknowledgingClient): Promise<void> {
    while (person.connected) {
      if (person.ahead < AHEAD) person.type(this.#random.below(10_000));
      else await person.acknowledgedOnce();
      await pause();
    }
  }
}
