import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { foldPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type Database, DatabaseError } from '../../src/ports/database/database.ts';
import { MasterKeyring } from '../../src/ports/keyring/master-key.ts';
import { checkConsistency } from '../kit/database/consistency-check.ts';
import { freshOnPostgres, freshSqlite, rawOf } from '../kit/engines.ts';
import type { Answer, Caller } from '../kit/person.ts';
import { Random } from '../kit/random.ts';
import { Device } from './sync.device.ts';
import { Documents } from './sync.documents.ts';
import { Follower, listOf } from './sync.follower.ts';
import { Ledger } from './sync.ledger.ts';
import { MODES, type Mode, Requests } from './sync.requests.ts';
import { type Process, Servers } from './sync.servers.ts';

/*
 * node server/test/fuzz/sync.ts [--engine sqlite|postgres] [--mode ordinary|deletes|trash|swaps] [--from 1]
 * [--seeds 1000] [--verbose]
 *
 * Simulates devices that type, lose their connection, are away for weeks and send things late, twice or never; requests
 * that write, rename, delete and restore beside them; and two processes that are killed. After every step nothing typed
 * may be lost or doubled, the name of a letter must mean one letter in all documents, and equal fingerprints must mean
 * equal texts; at the end all copies must be the same.
 */

const STEPS = 40;
const DEVICES = 4;
/** Steps between two times at which all devices sync. */
const ROUND = 13;

/** Share of notes with an unchanged manifest row that are read again. */
const REREAD = 0.1;
/** The share of steps at which tombstones expire. */
const EXPIRIES = { ordinary: 0.02, deletes: 0.3, trash: 0.1, swaps: 0.02 } as const;

/** Options of a run; by default it prints nothing, and things happen as often as with people. */
interface Options {
  readonly mode?: Mode;
  readonly verbose?: boolean;
}

/**
 * Returns every fault found, in words that name the seed, and how many seeds ran; stops at the first seed with a fault.
 */
export async function syncRun(
  open: () => Promise<Database>,
  seeds: readonly number[],
  { mode = 'ordinary', verbose = false }: Options = {},
): Promise<{ readonly faults: string[]; readonly ran: number }> {
  await using servers = await Servers.start(open);
  const keyring = new MasterKeyring(servers.first.masterKey, () => Buffer.alloc(0));
  await using raw = await rawOf(servers.first.db);
  for (const [at, seed] of seeds.entries()) {
    await servers.begin(seed % 3 === 0);
    const found = await new Run(servers, { seed, mode, verbose }).toEnd();
    await servers.end();
    found.push(...(await checkConsistency(raw, keyring, servers.vault)));
    const faults = found.map((fault) => `${mode} seed ${seed}: ${fault}`);
    if (faults.length > 0) return { faults, ran: at + 1 };
  }
  return { faults: [], ran: seeds.length };
}

class Run {
  readonly #servers: Servers;
  readonly #random: Random;
  readonly #mode: Mode;
  readonly #ledger = new Ledger();
  readonly #devices: readonly Device[];
  readonly #followers = [new Follower('follower a'), new Follower('follower b')] as const;
  readonly #requests: Requests;
  readonly #documents: Documents;
  readonly #verbose: boolean;
  readonly #faults: string[] = [];
  /** The body of each note as last read, with its row of the manifest. */
  readonly #bodies = new Map<string, { readonly stated: string; readonly body: Answer['body'] }>();
  /** A separate generator, so that reading again does not change the course of a run. */
  readonly #rereads: Random;
  #step = 0;

  constructor(servers: Servers, { seed, mode, verbose }: Required<Options> & { readonly seed: number }) {
    this.#servers = servers;
    this.#mode = mode;
    this.#verbose = verbose;
    this.#random = new Random(seed);
    this.#rereads = new Random(-seed);
    this.#documents = new Documents(servers);
    const shared = { random: this.#random, ledger: this.#ledger };
    this.#requests = new Requests({ ...shared, headers: servers.headers, mode, say: (what) => this.#say(what) });
    const of = {
      ...shared,
      vault: servers.vault,
      sockets: seed % 2 === 0,
      report: (what: string) => this.#fault(what),
    };
    this.#devices = Array.from({ length: DEVICES }, (_, at) => new Device(`device ${at}`, of));
  }

  async toEnd(): Promise<string[]> {
    for (let at = 0; at < 3; at++) await this.#requests.create(this.#servers.any(this.#random).caller);
    for (this.#step = 1; this.#step <= STEPS && this.#faults.length === 0; this.#step++) {
      this.#servers.first.clock.advance({ seconds: this.#random.below(100) });
      await this.#act();
      this.#say('looks');
      await this.#look();
      for (const fault of await this.#documents.faults(this.#requests.notes, this.#devices)) this.#fault(fault);
      if (this.#step % ROUND === 0) await this.#converge();
    }
    if (this.#faults.length === 0) await this.#converge();
    for (const device of this.#devices) device.leaveAll();
    return this.#faults;
  }

  /** Lets some devices and requests each do one thing, all at once. */
  async #act(): Promise<void> {
    const random = this.#random;
    const acts = this.#devices.filter(() => random.chance(0.6)).map((device) => () => this.#use(device));
    for (let at = random.below(3); at > 0; at--) {
      acts.push(() => this.#requests.next(this.#servers.any(random).caller));
    }
    for (const follower of this.#followers) {
      if (random.chance(0.3)) {
        acts.push(async () => {
          await follower.read(this.#servers.any(random).caller, this.#servers.headers, random);
        });
      }
    }
    if (random.chance(0.06)) acts.push(() => this.#kill());
    if (random.chance(0.1)) acts.push(() => this.#servers.any(random).server.app.notes.live.flushOverdue());
    if (random.chance(0.1)) acts.push(() => this.#servers.any(random).server.app.notes.live.catchUp());
    if (random.chance(EXPIRIES[this.#mode])) {
      this.#servers.first.clock.advance({ days: 60 });
      acts.push(async () => {
        const dropped = await this.#servers.any(random).server.app.sync.dropExpired();
        this.#say(`${dropped} tombstones expired`);
      });
    }
    if (this.#mode === 'trash' && random.chance(0.15)) {
      acts.push(async () => {
        const purged = await this.#servers.any(random).server.app.entries.trash.trim();
        this.#say(`${purged} notes beyond the limits of the trash were purged`);
      });
    }
    await Promise.all(acts.map((act) => act().catch((error) => this.#trouble(error))));
  }

  async #kill(): Promise<void> {
    this.#say('a process is killed');
    // Clients notice that the connection is gone.
    for (const device of this.#devices) if (this.#random.chance(0.7)) device.leaveAll();
    await this.#servers.kill(this.#random);
  }

  async #use(device: Device): Promise<void> {
    const random = this.#random;
    const known = random.chance(0.5) && device.notes.length > 0 ? device.notes : this.#requests.notes;
    if (known.length === 0) return;
    const note = random.pick(known);
    for (let typed = random.below(4); typed > 0; typed--) device.type(note);
    const [to, luck] = [this.#servers.any(random), random.next()];
    if (luck < 0.45) await device.send(note);
    else if (luck < 0.8) await device.join(to, note);
    else if (luck < 0.9) device.leave(note);
    else if (luck < 0.93) await device.intrude(to.server.app, note);
    else if (luck < 0.96) {
      device.leaveAll();
      this.#servers.first.clock.advance({ days: 10 });
    }
  }

  /** Checks what must hold after every step in the answers of each process. */
  async #look(): Promise<void> {
    const manifests: Answer['body'][] = [];
    for (const { caller } of this.#servers.all) {
      const { status, body } = await caller.get('/sync/manifest', this.#servers.headers);
      if (status !== 200) this.#fault(`a manifest was answered ${status}`);
      else manifests.push(body);
    }
    const [first, second] = manifests;
    if (first === undefined || second === undefined) return;
    // Nothing was written between the two reads, except for edits that were flushed.
    if (first.change_seq === second.change_seq && JSON.stringify(first) !== JSON.stringify(second)) {
      this.#fault('two processes have different manifests of one moment');
    }
    const paths = second.notes.map(({ path }: { path: string }) => foldPath(path));
    if (new Set(paths).size < paths.length) this.#fault('two notes have one path');
    await Promise.all(second.notes.map((row: Answer['body']) => this.#lookAt(row, this.#servers.any(this.#random))));
  }

  /** @param row the note's row in a manifest. */
  async #lookAt(row: Answer['body'], { caller }: Process): Promise<void> {
    const { id, content_hash: hash, crdt_head: head } = row;
    const body = await this.#read(row, caller);
    if (body !== null) {
      for (const fault of this.#ledger.faults(id, body.content)) this.#fault(`in ${body.path}, ${fault}`);
      if (body.content.includes('foreign') && !this.#requests.restored.has(id))
        this.#fault(`a foreign text is in ${body.path}`);
      if (sha256(body.content) !== body.content_hash) this.#fault(`${body.path} has the hash of another text`);
    }
    for (const device of this.#devices) {
      const copy = device.fingerprintOf(id);
      // No client id is used twice in this simulation, so an equal head means an equal text.
      if (copy !== undefined && copy.head === head && copy.hash !== hash)
        this.#fault(`${device.name} has the head, and another text`);
    }
  }

  /** Reads a note's body; mostly from memory while its row in the manifest is unchanged. */
  async #read(row: Answer['body'], caller: Caller): Promise<Answer['body'] | null> {
    const { id } = row;
    const stated = JSON.stringify(row);
    const before = this.#bodies.get(id);
    if (before?.stated === stated && !this.#rereads.chance(REREAD)) return before.body;
    const { status, body } = await caller.get(`/notes/by-id/${id}`, this.#servers.headers);
    if (status === 200) this.#bodies.set(id, { stated, body });
    else this.#fault(`note ${id} was answered ${status}`);
    return status === 200 ? body : null;
  }

  /** Syncs all devices; then all must have the same state, and the feeds must lead to the manifest. */
  async #converge(): Promise<void> {
    this.#say('all sync');
    const [one] = this.#servers.all;
    if (one === undefined) return;
    const { headers } = this.#servers;
    for (let round = 0; round < 2; round++) {
      const live = (await this.#manifest(one.caller)).notes.map(({ id }: { id: string }) => id);
      for (const device of this.#devices) {
        for (const note of live) {
          const to = this.#servers.any(this.#random);
          const syncing = round === 0 ? device.join(to, note) : device.sync(to, note);
          await syncing.catch((error) => this.#trouble(error));
        }
      }
      // Catches up after lost messages; in a server this runs by itself.
      for (const { server } of this.#servers.all) await server.app.notes.live.catchUp();
    }
    const manifest = await this.#manifest(one.caller);
    for (const { id, content_hash: hash, crdt_head: head } of manifest.notes) {
      const { body } = await one.caller.get(`/notes/by-id/${id}`, headers);
      for (const device of this.#devices) {
        const copy = device.fingerprintOf(id);
        if (copy === undefined) continue;
        const text = device.docOf(id)?.getText('content').toString() ?? '';
        if (text !== body.content) this.#fault(`${device.name} has ${clip(text)} where ${clip(body.content)} is`);
        if (copy.head !== head) this.#fault(`${device.name} has another head of ${body.path}`);
        if (copy.hash !== hash) this.#fault(`${device.name} has another hash of ${body.path}`);
      }
    }
    for (const follower of [...this.#followers, new Follower('from nothing')]) {
      await follower.readAll(one.caller, headers, this.#random);
      if (follower.list.join('\n') !== listOf(manifest).join('\n'))
        this.#fault('the feed does not lead to the manifest');
    }
  }

  async #manifest(caller: Caller): Promise<Answer['body']> {
    const { status, body } = await caller.get('/sync/manifest', this.#servers.headers);
    if (status !== 200) throw new Error(`a manifest was answered ${status}`);
    return body;
  }

  /** Ignores errors that a client may meet: the note or the process is gone. */
  #trouble(error: unknown): void {
    if (error instanceof DatabaseError && error.code === 'unavailable') return;
    if (error instanceof NotevaultError && ['unavailable', 'note_not_found'].includes(error.code)) return;
    // Thrown by fetch when its server is gone.
    if (error instanceof TypeError && error.message === 'fetch failed') return;
    this.#fault(
      error instanceof Error ? `${error.name}: ${error.message} ${error.stack?.slice(0, 600)}` : String(error),
    );
  }

  #fault(what: string): void {
    this.#faults.push(`step ${this.#step}: ${what}`);
  }

  #say(what: string): void {
    if (this.#verbose) process.stderr.write(`${this.#step}: ${what}\n`);
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function clip(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

/** Number of seeds per database, because creating a database takes as long as running a seed. */
const TOGETHER = 20;

/**
 * Runs seeds on databases created for them. Resolves to the faults of the seeds that failed, at most ten of them.
 *
 * @param done called after each database, with the number of seeds run and the faults found on it.
 */
export async function runSeeds(
  engine: 'sqlite' | 'postgres',
  seeds: readonly number[],
  options: Options,
  done: (count: number, faults: readonly string[]) => void = () => undefined,
): Promise<string[][]> {
  const failed: string[][] = [];
  for (let at = 0; at < seeds.length && failed.length < 10; ) {
    const fresh = await (engine === 'postgres' ? freshOnPostgres() : freshSqlite());
    const together = seeds.slice(at, at + TOGETHER);
    const { faults, ran } = await syncRun(async () => fresh.db, together, options);
    await fresh.db[Symbol.asyncDispose]();
    await fresh.remove();
    if (faults.length > 0) failed.push(faults);
    at += ran;
    done(at, faults);
  }
  return failed;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'sqlite' },
      mode: { type: 'string', default: 'ordinary' },
      from: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1000' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const since = performance.now();
  const seeds = Array.from({ length: Number(values.seeds) }, (_, at) => Number(values.from) + at);
  const mode = MODES.find((each) => each === values.mode) ?? 'ordinary';
  const options = { mode, verbose: values.verbose };
  const engine = values.engine === 'postgres' ? 'postgres' : 'sqlite';
  const failed = await runSeeds(engine, seeds, options, (count, faults) => {
    for (const fault of faults) process.stdout.write(`${fault}\n`);
    if (count % 100 < TOGETHER) process.stderr.write(`${count} of ${seeds.length} seeds done\n`);
  });
  const [seconds, { user, system }] = [(performance.now() - since) / 1000, process.cpuUsage()];
  const cost = `${Math.round(seconds)} s, of the processor ${Math.round((user + system) / 1e6)} s`;
  process.stdout.write(`${seeds.length} ${options.mode} seeds on ${engine} in ${cost}: ${failed.length} failed\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
