import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import { ClientThread } from '../kit/clients/client-thread.ts';
import { craftUpdate } from '../kit/clients/crafted-updates.ts';
import { YjsClient } from '../kit/clients/yjs-client.ts';
import { freshSqlite } from '../kit/engines.ts';
import { anySeed, runOptions } from '../kit/programs/run.ts';
import { Random } from '../kit/random.ts';
import { startServer, type TestServer } from '../kit/server.ts';
import { type CostInput, itemsOf, mutated, newInput, textOf } from './cost.inputs.ts';

/*
 * Searches for inputs that block the event loop: inputs are tried at random, and those that blocked it longest are
 * tried again with changes. It measures processor time of the server's thread between two turns of its event loop, so a
 * busy machine does not matter. `node server/test/fuzz/cost.ts --minutes=20 --seed=7`
 */

export interface CostOptions {
  readonly seed: number;
  /** Ends after this many inputs, or after this time. */
  readonly inputs?: number;
  readonly minutes?: number;
  /** Called with each input that is among the costliest so far. */
  readonly found?: (costly: Costly) => void;
}

export interface Costly {
  readonly heldMs: number;
  readonly input: CostInput;
  readonly answer: string;
}

/** Longest processor time for which an input may block the event loop. */
export const HELD_MS_MAX = 150;

const KEPT = 24;
/** An input counts as costly only if it is so repeatedly; a garbage collection happens once. */
const TRIES = 3;

/** Returns the costliest inputs, the costliest first. */
export async function searchForCost({
  seed,
  inputs = Infinity,
  minutes = Infinity,
  found,
}: CostOptions): Promise<Costly[]> {
  const random = new Random(seed);
  await using world = await CostWorld.start(random);
  const corpus: Costly[] = [];
  const until = performance.now() + minutes * 60_000;
  // The first inputs only warm up: code that is compiled and read for the first time takes longer.
  for (let warm = 0; warm < 10; warm++) await world.held(newInput(random));
  for (let tried = 0; tried < inputs && performance.now() < until; tried++) {
    const parent = random.chance(0.6) ? corpus[random.below(corpus.length)] : undefined;
    const input = parent === undefined ? newInput(random) : mutated(random, parent.input);
    const costly = await confirmed(world, input, corpus.length < KEPT ? 0 : (corpus.at(-1)?.heldMs ?? 0));
    if (costly === null) continue;
    found?.(costly);
    corpus.push(costly);
    corpus.sort((a, b) => b.heldMs - a.heldMs);
    corpus.splice(KEPT);
  }
  return corpus;
}

async function confirmed(world: CostWorld, input: CostInput, overMs: number): Promise<Costly | null> {
  let least: Costly | null = null;
  for (let time = 0; time < TRIES; time++) {
    const { heldMs, answer } = await world.held(input);
    if (heldMs <= overMs) return null;
    if (least === null || heldMs < least.heldMs) least = { heldMs, answer, input };
  }
  return least;
}

/** A server and an account that sends it inputs. */
class CostWorld implements AsyncDisposable {
  readonly #server: TestServer;
  readonly #close: () => Promise<void>;
  readonly #client = new ClientThread();
  readonly #meter = new LoopMeter();
  readonly #random: Random;
  readonly #vault: string;
  readonly #headers: Record<string, string>;
  #count = 0;

  private constructor(server: TestServer, close: () => Promise<void>, random: Random, vault: string, token: string) {
    this.#server = server;
    this.#close = close;
    this.#random = random;
    this.#vault = vault;
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  }

  static async start(random: Random): Promise<CostWorld> {
    const { db, remove } = await freshSqlite();
    const server = await startServer({ open: async () => db });
    const { vault } = (await server.alice.post('/vaults', { name: 'Cost' })).body;
    const { accessToken } = await server.alice.signed();
    const close = async () => {
      await server[Symbol.asyncDispose]();
      await db[Symbol.asyncDispose]();
      await remove();
    };
    return new CostWorld(server, close, random, vault.id, accessToken);
  }

  /** The longest time for which the loop was blocked while the input and its consequences were processed. */
  async held(input: CostInput): Promise<{ heldMs: number; answer: string }> {
    this.#count += 1;
    const work = await this.#prepare(input);
    this.#meter.take();
    const answer = await work().catch((error: unknown) => String(error));
    return { heldMs: this.#meter.take(), answer };
  }

  async #prepare(input: CostInput): Promise<() => Promise<string>> {
    switch (input.kind) {
      case 'text':
        return this.#text(input);
      case 'read': {
        const path = `${input.path}?q=${encodeURIComponent(input.query.toWellFormed())}&limit=500`;
        return () => this.#send('GET', path);
      }
      default:
        return this.#edit(input);
    }
  }

  async #text({ how, text }: CostInput & { kind: 'text' }): Promise<() => Promise<string>> {
    // Always a new text: writing the stored text again would be no work.
    const content = `${this.#count}\n${textOf(text)}`;
    const path = `n${this.#count % 5}.md`;
    if (how === 'append') return () => this.#send('POST', '/notes/append', { path, text: content.slice(-200_000) });
    if (how === 'put') return () => this.#send('POST', '/notes', { path, content, mtime: 1 });
    const base = `${content.slice(0, content.length / 2)}\nbase\n`;
    await this.#send('POST', '/notes', { path: 'm.md', content: base, mtime: 1 });
    const version = (await this.#server.alice.get('/notes/m.md', { 'x-vault-id': this.#vault })).body?.version ?? 1;
    await this.#send('POST', '/notes', { path: 'm.md', content: `${base}theirs\n`, mtime: 1 });
    return () => this.#send('POST', '/notes', { path: 'm.md', content, version, mtime: 1 });
  }

  /** Sends an edit as a socket would, on a document with earlier edits; then reads the note, which flushes it. */
  async #edit(input: CostInput & { kind: 'update' | 'typing' }): Promise<() => Promise<string>> {
    const path = `d${Math.floor(this.#count / 40)}-${this.#count % 3}.md`;
    await this.#send('POST', '/notes/append', { path, text: 'x' });
    const read = await this.#server.alice.get(`/notes/${path}`, { 'x-vault-id': this.#vault });
    const client = await new YjsClient('alice').join(this.#server.app, this.#vault as VaultId, read.body.id);
    const update = input.kind === 'typing' ? this.#typed(client, input) : this.#crafted(client, input);
    return async () => {
      const answer = await client.send(update).finally(() => client.leave());
      const status = await this.#send('GET', `/notes/${path}`);
      await this.#open(read.body.id);
      return `${answer}, ${status}`;
    };
  }

  /** Reads a document into memory, as for a client that has none of it. */
  async #open(id: NoteId): Promise<void> {
    const vault = await this.#server.app.vaults.openAsSystem(this.#vault as VaultId);
    if (vault === null) return;
    using live = await this.#server.app.notes.live.open(vault, id, {
      update: () => undefined,
      closed: () => undefined,
    });
    await live.missingFor(null);
  }

  #typed(client: YjsClient, { edits, removes, seed }: CostInput & { kind: 'typing' }): Uint8Array {
    const random = new Random(seed);
    return client.drafts((content) => {
      for (let edit = 0; edit < edits; edit++) {
        const at = random.below(content.length + 1);
        if (random.below(100) < removes && at < content.length) content.delete(at, 1);
        else content.insert(at, 'ab');
      }
    });
  }

  #crafted(typist: YjsClient, input: CostInput & { kind: 'update' }): Uint8Array {
    const [genesis = 0] =
      [...typist.doc.store.clients].find(([, structs]) => structs[0]?.id.clock === 0 && isRoot(structs[0])) ?? [];
    const client = input.client === 'low' ? this.#count : 2 ** 32 - 1 - this.#count;
    return craftUpdate(itemsOf(input, new Random(input.seed), client, genesis));
  }

  async #send(method: string, path: string, body?: unknown): Promise<string> {
    const headers = {
      ...this.#headers,
      'x-vault-id': this.#vault,
      'x-idempotency-key': `k${this.#random.below(2 ** 30)}`,
    };
    const { status, text } = await this.#client.send({
      url: `${this.#server.url}/api${path}`,
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return status < 300 ? String(status) : `${status} ${text.slice(0, 60)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#meter[Symbol.dispose]();
    await this.#client[Symbol.asyncDispose]();
    await this.#close();
  }
}

function isRoot(struct: object): boolean {
  return 'origin' in struct && struct.origin === null && 'rightOrigin' in struct && struct.rightOrigin === null;
}

/**
 * Measures how long the event loop of this thread is blocked, in processor time, which other work on the machine does
 * not affect.
 */
class LoopMeter implements Disposable {
  #before = process.threadCpuUsage();
  #longestMs = 0;
  #running = true;

  constructor() {
    setImmediate(() => this.#turn());
  }

  /** Returns the longest turn since the last call. */
  take(): number {
    this.#look();
    const longest = this.#longestMs;
    this.#longestMs = 0;
    return longest;
  }

  [Symbol.dispose](): void {
    this.#running = false;
  }

  #turn(): void {
    this.#look();
    if (this.#running) setImmediate(() => this.#turn());
  }

  #look(): void {
    const { user, system } = process.threadCpuUsage(this.#before);
    this.#before = process.threadCpuUsage();
    this.#longestMs = Math.max(this.#longestMs, (user + system) / 1000);
  }
}

/** Formats an input as one line that can be read and repeated. */
export function shown({ heldMs, input, answer }: Costly): string {
  return `${heldMs.toFixed(0).padStart(5)} ms  ${JSON.stringify(input).slice(0, 300)}  → ${answer}`;
}

if (import.meta.main) {
  const { minutes, seed } = runOptions({ minutes: 1, seed: anySeed() });
  console.log(`seed ${seed}`);
  const corpus = await searchForCost({ seed, minutes, found: (costly) => console.log(shown(costly)) });
  console.log('the costliest:');
  for (const costly of corpus) console.log(shown(costly));
}
