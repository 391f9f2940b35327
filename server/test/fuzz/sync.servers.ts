import { MemoryHub } from '../../src/engines/bus/memory.ts';
import type { Database } from '../../src/engines/database/database.ts';
import { MortalDatabase } from '../kit/mortal.ts';
import type { Caller } from '../kit/person.ts';
import type { Random } from '../kit/random.ts';
import { startServer, type TestServer } from '../kit/server.ts';

export interface Process {
  readonly server: TestServer;
  readonly db: MortalDatabase;
  readonly caller: Caller;
  /** Credential that lasts. */
  readonly token: string;
}

/** Two processes over one database, either of which can be killed at any moment; another takes its place. */
export class Servers implements AsyncDisposable {
  readonly vault: string;
  readonly first: TestServer;
  readonly #token: string;
  readonly #hub: MemoryHub | null;
  readonly #running: Process[];
  readonly #ended: Promise<unknown>[] = [];

  private constructor(first: TestServer, token: string, vault: string, hub: MemoryHub | null, running: Process[]) {
    this.first = first;
    this.#token = token;
    this.vault = vault;
    this.#hub = hub;
    this.#running = running;
  }

  /** @param deaf nothing that one process tells the other arrives. */
  static async start(open: () => Promise<Database>, deaf: boolean): Promise<Servers> {
    const first = await startServer({ open, blobs: 'database' });
    const { key } = (await first.alice.post('/connections/pat', { name: 'lasting' })).body;
    const { vault } = (await first.alice.post('/vaults', { name: 'Simulated' })).body;
    const servers = new Servers(first, key, vault.id, deaf ? null : new MemoryHub(), []);
    for (let at = 0; at < 2; at++) servers.#running.push(await servers.#start());
    return servers;
  }

  any(random: Random): Process {
    return random.pick(this.#running);
  }

  get all(): readonly Process[] {
    return this.#running;
  }

  get headers() {
    return { 'x-vault-id': this.vault };
  }

  /** No chance to put anything in order: what it had not stored is gone. */
  async kill(random: Random): Promise<Process> {
    const at = random.below(this.#running.length);
    const { server, db } = this.#running[at] as Process;
    db.kill();
    this.#ended.push(Promise.resolve(server[Symbol.asyncDispose]()).catch(() => undefined));
    const next = await this.#start();
    this.#running[at] = next;
    return next;
  }

  async #start(): Promise<Process> {
    const { db: real, clock, masterKey, blobs } = this.first;
    const db = new MortalDatabase(real);
    const bus = (this.#hub ?? new MemoryHub()).join();
    const server = await startServer({ open: async () => db, clock, masterKey, blobs, bus });
    return { server, db, caller: server.bearer(this.#token), token: this.#token };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#ended);
    for (const { server } of this.#running) await server[Symbol.asyncDispose]();
    await this.first[Symbol.asyncDispose]();
  }
}
