import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { OpenVault } from '../../src/domains/content/vaults/vaults.ts';
import type { Bus } from '../../src/ports/bus/bus.ts';
import { MemoryHub } from '../../src/ports/bus/memory.ts';
import type { Database } from '../../src/ports/database/database.ts';
import { CrashableDatabase } from '../kit/database/crashable-database.ts';
import type { Caller } from '../kit/person.ts';
import type { Random } from '../kit/random.ts';
import { startServer, type TestServer } from '../kit/server.ts';

export interface Process {
  readonly server: TestServer;
  readonly db: CrashableDatabase;
  readonly caller: Caller;
  /** A credential that does not expire. */
  readonly token: string;
}

/** Less than the notes of a run. */
const LIMITS = { notes: 4, textBytes: 2000, attachmentBytes: () => 0 };

/** The messages between the processes, unless none of them is to arrive. */
class Hub {
  readonly #hub = new MemoryHub();
  deaf = false;

  join(): Bus {
    const bus = this.#hub.join();
    return {
      publish: (topic, payload) => {
        if (!this.deaf) bus.publish(topic, payload);
      },
      subscribe: (topic, listen) => bus.subscribe(topic, listen),
      onMissed: (listen) => bus.onMissed(listen),
      [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
    };
  }
}

/**
 * Two processes over one database, either of which can be killed at any time and is then replaced. They serve one run
 * after the other, each in its own vault.
 */
export class Servers implements AsyncDisposable {
  readonly first: TestServer;
  readonly #token: string;
  readonly #hub = new Hub();
  readonly #running: Process[] = [];
  readonly #ended: Promise<unknown>[] = [];
  #vault = '';

  private constructor(first: TestServer, token: string) {
    this.first = first;
    this.#token = token;
  }

  static async start(open: () => Promise<Database>): Promise<Servers> {
    const first = await startServer({ open, blobs: 'database' });
    const { key } = (await first.alice.post('/connections/pat', { name: 'lasting' })).body;
    const servers = new Servers(first, key);
    for (let at = 0; at < 2; at++) servers.#running.push(await servers.#start());
    return servers;
  }

  /** @param deaf whether no message between the processes arrives. */
  async begin(deaf: boolean): Promise<void> {
    this.#hub.deaf = deaf;
    const [process] = this.#running;
    this.#vault = (await process?.caller.post('/vaults', { name: 'Simulated' }))?.body.vault.id;
  }

  /** Waits for background work of the run. */
  async end(): Promise<void> {
    await Promise.all(this.#ended.splice(0));
  }

  get vault(): string {
    return this.#vault;
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

  /** The vault of the run, opened beside the processes. */
  async openVault(): Promise<OpenVault> {
    const vault = await this.first.app.vaults.openAsSystem(this.vault as VaultId);
    if (vault === null) throw new Error('the vault is gone');
    return vault;
  }

  /** Kills without a chance to clean up: what was not stored is lost. */
  async kill(random: Random): Promise<Process> {
    const at = random.below(this.#running.length);
    const killed = this.#running[at] as Process;
    killed.db.kill();
    this.#ended.push(Promise.resolve(killed.server[Symbol.asyncDispose]()).catch(() => undefined));
    const next = await this.#start();
    this.#running[at] = next;
    return next;
  }

  async #start(): Promise<Process> {
    const { db: real, clock, masterKey, blobs } = this.first;
    const db = new CrashableDatabase(real);
    const bus = this.#hub.join();
    const server = await startServer({ open: async () => db, clock, masterKey, blobs, bus, trashLimits: LIMITS });
    return { server, db, caller: server.bearer(this.#token), token: this.#token };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    for (const process of this.#running) await process.server[Symbol.asyncDispose]();
    await this.first[Symbol.asyncDispose]();
  }
}
