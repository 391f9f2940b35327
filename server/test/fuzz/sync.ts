import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { foldPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { headOf, snapshotOf } from '../../src/domains/notes/document.ts';
import { type Database, DatabaseError } from '../../src/engines/database/database.ts';
import { MasterKeyring } from '../../src/engines/keyring/master-key.ts';
import { audit } from '../kit/audit.ts';
import { freshOnPostgres, freshSqlite, rawOf } from '../kit/engines.ts';
import type { Answer, Caller } from '../kit/person.ts';
import { Random } from '../kit/random.ts';
import { Device } from './sync.device.ts';
import { Follower, listOf } from './sync.follower.ts';
import { Ledger } from './sync.ledger.ts';
import { Requests } from './sync.requests.ts';
import { Servers } from './sync.servers.ts';

/*
 * node server/test/fuzz/sync.ts [--engine sqlite|postgres] [--from 1] [--seeds 1000] [--verbose]
 *
 * Devices that type, lose their connection, are away for weeks and send things late, twice or never; requests that write,
 * rename, delete and restore beside them; two processes that are killed. After every step nothing typed may be lost or
 * doubled, and what is converged says so; in the end everybody has the same.
 */

const STEPS = 40;
const DEVICES = 4;
/** Between two moments at which everybody syncs. */
const ROUND = 13;

/** Everything found wrong, in words that name the seed; empty when nothing is. */
export async function syncRun(
  open: () => Promise<Database>,
  seeds: readonly number[],
  verbose = false,
): Promise<string[]> {
  const faults: string[] = [];
  for (const seed of seeds) {
    await using servers = await Servers.start(open, seed % 3 === 0);
    const found = await new Run(servers, seed, verbose).toEnd();
    const raw = await rawOf(servers.first.db);
    const keyring = new MasterKeyring(servers.first.masterKey, () => Buffer.alloc(0));
    found.push(...(await audit(raw, keyring)));
    await raw[Symbol.asyncDispose]();
    faults.push(...found.map((fault) => `seed ${seed}: ${fault}`));
    if (faults.length > 0) break;
  }
  return faults;
}

class Run {
  readonly #servers: Servers;
  readonly #random: Random;
  readonly #ledger = new Ledger();
  readonly #devices: readonly Device[];
  readonly #followers = [new Follower('follower a'), new Follower('follower b')] as const;
  readonly #requests: Requests;
  readonly #verbose: boolean;
  readonly #faults: string[] = [];
  #step = 0;

  constructor(servers: Servers, seed: number, verbose: boolean) {
    this.#servers = servers;
    this.#verbose = verbose;
    this.#random = new Random(seed);
    this.#requests = new Requests(this.#random, this.#ledger, servers.headers, (what) => this.#say(what));
    this.#devices = Array.from(
      { length: DEVICES },
      (_, at) => new Device(`device ${at}`, this.#random, this.#ledger, servers.vault, seed % 2 === 0),
    );
  }

  async toEnd(): Promise<string[]> {
    for (let at = 0; at < 3; at++) await this.#requests.create(this.#servers.any(this.#random).caller);
    for (this.#step = 1; this.#step <= STEPS && this.#faults.length === 0; this.#step++) {
      this.#servers.first.clock.advance({ seconds: this.#random.below(100) });
      await this.#act();
      this.#say('looks');
      await this.#look();
      if (this.#step % ROUND === 0) await this.#converge();
    }
    if (this.#faults.length === 0) await this.#converge();
    return this.#faults;
  }

  /** One thing of each of some devices, and some requests, all at once. */
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
    if (random.chance(0.1)) acts.push(() => this.#servers.any(random).server.app.notes.live.settleOverdue());
    if (random.chance(0.1)) acts.push(() => this.#servers.any(random).server.app.notes.live.catchUp());
    if (random.chance(0.02)) {
      this.#servers.first.clock.advance({ days: 60 });
      acts.push(async () => {
        await this.#servers.any(random).server.app.sync.dropExpired();
      });
    }
    await Promise.all(acts.map((act) => act().catch((error) => this.#trouble(error))));
  }

  async #kill(): Promise<void> {
    this.#say('a process is killed');
    // Its clients notice that the connection is gone.
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

  /** What must hold after every step, in what each process says. */
  async #look(): Promise<void> {
    const manifests: Answer['body'][] = [];
    for (const { caller } of this.#servers.all) {
      const { status, body } = await caller.get('/sync/manifest', this.#servers.headers);
      if (status !== 200) this.#fault(`a manifest was answered ${status}`);
      else manifests.push(body);
    }
    const [first, second] = manifests;
    if (first === undefined || second === undefined) return;
    // Nothing was written between the two, unless edits that waited were folded in.
    if (first.change_seq === second.change_seq && JSON.stringify(first) !== JSON.stringify(second)) {
      this.#fault('two processes have different manifests of one moment');
    }
    const paths = second.notes.map(({ path }: { path: string }) => foldPath(path));
    if (new Set(paths).size < paths.length) this.#fault('two notes have one path');
    for (const { id, content_hash: hash, crdt_head: head } of second.notes) {
      const { caller } = this.#servers.any(this.#random);
      const { status, body } = await caller.get(`/notes/by-id/${id}`, this.#servers.headers);
      if (status !== 200) this.#fault(`note ${id} was answered ${status}`);
      else {
        for (const fault of this.#ledger.faults(id, body.content)) this.#fault(`in ${body.path}, ${fault}`);
        if (body.content.includes('foreign') && !this.#requests.restored.has(id))
          this.#fault(`a foreign text is in ${body.path}`);
        if (sha256(body.content) !== body.content_hash) this.#fault(`${body.path} has the hash of another text`);
      }
      for (const device of this.#devices) this.#headFits(device, id, head, hash);
    }
  }

  /** Whoever has the head that the manifest says has the very text too, in this simulation: no client id is used twice. */
  #headFits(device: Device, note: string, head: string, hash: string): void {
    const doc = device.docOf(note);
    if (doc === undefined || headOf(snapshotOf(doc)) !== head) return;
    if (sha256(doc.getText('content').toString()) !== hash)
      this.#fault(`${device.name} has the head, and another text`);
  }

  /** Everybody syncs; then all must have the same, and the feeds lead to the manifest. */
  async #converge(): Promise<void> {
    this.#say('all sync');
    const [one] = this.#servers.all;
    if (one === undefined) return;
    const { headers } = this.#servers;
    for (let round = 0; round < 2; round++) {
      const live = (await this.#manifest(one.caller)).notes.map(({ id }: { id: string }) => id);
      for (const device of this.#devices) {
        for (const note of live) {
          await device.join(this.#servers.any(this.#random), note).catch((error) => this.#trouble(error));
        }
      }
      // The net under lost messages: in a server it runs by itself.
      for (const { server } of this.#servers.all) await server.app.notes.live.catchUp();
    }
    const manifest = await this.#manifest(one.caller);
    for (const { id, content_hash: hash, crdt_head: head } of manifest.notes) {
      const { body } = await one.caller.get(`/notes/by-id/${id}`, headers);
      for (const device of this.#devices) {
        const doc = device.docOf(id);
        if (doc === undefined) continue;
        const text = doc.getText('content').toString();
        if (text !== body.content) this.#fault(`${device.name} has ${clip(text)} where ${clip(body.content)} is`);
        if (headOf(snapshotOf(doc)) !== head) this.#fault(`${device.name} has another head of ${body.path}`);
        if (sha256(text) !== hash) this.#fault(`${device.name} has another hash of ${body.path}`);
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

  /** What a client may meet: the note or the process is gone. */
  #trouble(error: unknown): void {
    if (error instanceof DatabaseError && error.code === 'unavailable') return;
    if (error instanceof NotevaultError && ['unavailable', 'note_not_found'].includes(error.code)) return;
    // fetch, whose server went away.
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

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'sqlite' },
      from: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1000' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const since = performance.now();
  let failed = 0;
  for (let at = 0; at < Number(values.seeds); at++) {
    const fresh = await (values.engine === 'postgres' ? freshOnPostgres() : freshSqlite());
    const faults = await syncRun(async () => fresh.db, [Number(values.from) + at], values.verbose);
    await fresh.db[Symbol.asyncDispose]();
    await fresh.remove();
    for (const fault of faults) process.stdout.write(`${fault}\n`);
    failed += faults.length === 0 ? 0 : 1;
    if (failed > 10) break;
    if ((at + 1) % 100 === 0) process.stderr.write(`${at + 1} of ${values.seeds} seeds done\n`);
  }
  process.stdout.write(
    `${values.seeds} seeds in ${Math.round((performance.now() - since) / 1000)} s: ${failed} failed\n`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}
