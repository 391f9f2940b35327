import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { fixedToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import { joinPath } from '@notevault/note-text/paths.ts';
import { VaultServer } from '@notevault/sync/adapters/vault-server.ts';
import { SyncEngine, type SyncResult } from '@notevault/sync/engine/engine.ts';
import type { Outcome } from '@notevault/sync/engine/outcome.ts';
import { ServerStopped, ServerUnreachable, VaultGone } from '@notevault/sync/engine/ports.ts';
import { Approval } from '@notevault/sync/plan/approval.ts';
import type { Operation } from '@notevault/sync/plan/operations.ts';
import { kindOf } from '@notevault/sync/plan/trees.ts';
import { isSetting } from '@notevault/sync/rules/settings-files.ts';
import { nodeHashing } from '../../../cli/src/sync/run/node-hashing.ts';
import { Scheduler } from '../../../packages/sync/test/simulation/scheduler.ts';
import { SimDisk } from '../../../packages/sync/test/simulation/sim-disk.ts';
import { SimStore } from '../../../packages/sync/test/simulation/sim-store.ts';
import { StaleCopies } from '../../../packages/sync/test/simulation/stale-copies.ts';
import type { Database } from '../../src/ports/database/database.ts';
import { freshOnPostgres, freshSqlite } from '../kit/engines.ts';
import { Caller, Person } from '../kit/person.ts';
import { endRun, runOptions } from '../kit/programs/run.ts';
import { Random } from '../kit/random.ts';
import { startServer, type TestServer } from '../kit/server.ts';
import { tokenOf } from '../kit/shared-vault.ts';

/*
 * node server/test/fuzz/sync-members.ts [--engine sqlite|postgres] [--from 1] [--seeds 100]
 *
 * Simulates folders of several people in one vault of a real server: an owner and members, who edit, rename and delete
 * offline while their roles change, while they are removed and let in again, while answers get lost, and while devices
 * lose their state or go back to older copies. A device that was told that it may only read must send nothing; a folder
 * without its vault must stay as it is; no device may keep a copy of its own earlier text; in the end all must have what
 * the vault has, settings files too, and no word may be lost.
 */

const FOLDERS = ['', '', 'a', 'b', 'a/c'];
const NAMES = ['x.md', 'y.md', 'z.md', 'p.txt', 'q.txt'];
const SETTINGS = ['.obsidian/app.json', '.obsidian/hotkeys.json'];
const STEPS = 14;
const PEACE_ROUNDS = 40;
/** The server takes a deleted note again after a minute. */
const LATER_MS = 120_000;
/** Less than a session lasts. */
const SESSION_MS = 5 * 60_000;

type Standing = 'owner' | 'editor' | 'viewer' | 'removed';

const wordsOf = (content: string): string[] => content.split('\n').filter(Boolean);

/** The words that people wrote, and those of them that somebody took out. */
class Diary {
  readonly #written = new Set<string>();
  readonly #removed = new Set<string>();

  next(): string {
    // Each word is one letter, so that no difference finds a part of one in another.
    return `${String.fromCodePoint(0x4e00 + this.#written.size)}\n`;
  }

  wrote(content: string): void {
    for (const word of wordsOf(content)) this.#written.add(word);
  }

  removed(content: string): void {
    for (const word of wordsOf(content)) this.#removed.add(word);
  }

  lostFrom(contents: Iterable<string>): string[] {
    const there = new Set([...contents].flatMap(wordsOf));
    return [...this.#written].filter((word) => !this.#removed.has(word) && !there.has(word));
  }
}

/** The folder of one person. */
class Member {
  readonly name: string;
  readonly caller: Caller;
  readonly disk: SimDisk;
  readonly #run: Run;
  readonly #scheduler: Scheduler;
  readonly #copies: StaleCopies;
  #store = new SimStore();
  #key = '';
  #isToldReadOnly = false;
  standing: Standing;
  /** Whether the server has answered that this person was removed. */
  isOut = false;
  isEnded = false;
  result: SyncResult | null = null;

  constructor(run: Run, name: string, caller: Caller, standing: Standing) {
    this.#run = run;
    this.name = name;
    this.caller = caller;
    this.standing = standing;
    this.#scheduler = new Scheduler(run.random);
    const kind = { hasFileIds: run.random.chance(0.6), foldsCase: false, takesColons: true };
    this.disk = new SimDisk(kind, this.#scheduler, run.random);
    this.#copies = new StaleCopies(run.random);
  }

  /** Takes or restores a copy of the folder, or loses its state. */
  goBack(): void {
    this.#store = this.#copies.step(this.disk, this.#store);
  }

  /** Makes a credential that names the vault; the state of a folder whose vault was gone is not used again. */
  async begin(): Promise<void> {
    const { vault, random } = this.#run;
    // One that reaches nothing else is revoked with the vault.
    const default_access = random.chance(0.5) ? 'write' : 'none';
    const body = { name: this.name, default_access, vault_access: { [vault]: 'write' } };
    const { status, body: made } = await this.caller.post('/connections/pat', body);
    if (status !== 201) throw new Error(`a key was answered ${status} ${JSON.stringify(made)}`);
    this.#key = made.key;
    if (this.isEnded) this.#store = new SimStore();
    this.isEnded = false;
  }

  /** Lets time pass: two writes of one moment and length are one for whoever lists the disk. */
  wait(): void {
    this.#scheduler.ticks += 1;
  }

  async sync(): Promise<void> {
    if (this.isEnded) return;
    const { random, server, vault } = this.#run;
    this.#scheduler.ticks += LATER_MS;
    this.result = null;
    const [isOut, changes] = [this.isOut, this.disk.changes];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (this.#isToldReadOnly && init?.method !== 'GET' && !String(input).endsWith('/sync/known'))
        this.#run.fault(`${this.name} may read and sends ${init?.method} ${new URL(String(input)).pathname}`);
      const answer = await globalThis.fetch(input, init);
      if (answer.ok && String(input).includes('/sync/changes'))
        this.#isToldReadOnly = ((await answer.clone().json()) as { access?: string }).access === 'read';
      if (this.#run.isTroubled && random.chance(0.02)) throw new TypeError('the answer is lost');
      return answer;
    };
    const transport = new Transport(server.url, fixedToken(this.#key), { deviceId: 'one id for all', tries: 1, fetch });
    const sleep = async (ms: number) => {
      this.#scheduler.ticks += ms;
    };
    const clock = { ...this.#scheduler.clock(), sleep, uuid: () => crypto.randomUUID() };
    const remote = new VaultServer(new NotevaultClient(transport).vault(vault));
    const ports = { disk: this.disk, server: remote, store: this.#store, clock, hashing: nodeHashing };
    const aside: KeptNote[] = [];
    const onOperation = (operation: Operation, outcome: Outcome) => {
      const isConflict = operation.type === 'moveLocal' && operation.conflict && outcome.kind === 'done';
      if (isConflict && kindOf(operation.from) === 'note')
        aside.push({ path: operation.from, content_hash: operation.hash });
    };
    try {
      const engine = await SyncEngine.open(ports, { device: this.name, onOperation });
      this.result = await engine.sync({ approval: new Approval() });
      // Others may rename the note at any moment, but not at the end. Viewers see no history, so they keep earlier texts.
      if (!this.#run.isTroubled && this.standing !== 'viewer') await this.#run.requireOthers(this.name, aside);
    } catch (error) {
      const isGone = error instanceof VaultGone || (error instanceof ServerStopped && this.standing === 'removed');
      if (isGone) this.isEnded = this.standing === 'removed';
      else if (!(error instanceof ServerUnreachable)) throw error;
    }
    if (isOut && this.isEnded && this.disk.changes !== changes)
      this.#run.fault(`${this.name} changes a folder without a vault`);
  }
}

interface KeptNote {
  readonly path: string;
  readonly content_hash: string;
}

class Run {
  readonly random: Random;
  readonly server: TestServer;
  readonly vault: string;
  readonly faults: string[] = [];
  readonly #diary = new Diary();
  /** Texts written into settings files; an edit that another replaces ends in the trash of its device. */
  readonly #settings = new Diary();
  readonly #members: readonly Member[];
  isTroubled = true;

  constructor(server: TestServer, people: readonly Caller[], vault: string, seed: number) {
    this.server = server;
    this.vault = vault;
    this.random = new Random(seed);
    this.#members = people.map((caller, at) => new Member(this, `person${at}`, caller, at === 0 ? 'owner' : 'removed'));
  }

  get #owner(): Member {
    return this.#members[0] as Member;
  }

  fault(what: string): void {
    this.faults.push(what);
  }

  async toEnd(): Promise<string[]> {
    await this.#owner.begin();
    for (const member of this.#members.slice(1)) await this.#become(member, this.random.pick(['editor', 'viewer']));
    for (let step = 0; step < STEPS && this.faults.length === 0; step++) {
      const acts = Array.from({ length: 1 + this.random.below(4) }, () => this.#act());
      await Promise.all(acts);
    }
    this.isTroubled = false;
    for (const member of this.#members) if (this.random.chance(0.5)) await this.#goBack(member);
    if (this.faults.length === 0) await this.#peace();
    return this.faults;
  }

  async #act(): Promise<void> {
    const member = this.random.pick(this.#members);
    for (let edits = this.random.below(3); edits > 0; edits--) {
      member.wait();
      this.#edit(member.disk);
    }
    if (this.random.chance(0.1)) this.#setting(member.disk);
    if (this.random.chance(0.1)) await this.#goBack(member);
    const luck = this.random.next();
    if (luck < 0.25 && member !== this.#owner)
      await this.#become(member, this.random.pick(['editor', 'viewer', 'viewer', 'removed']));
    else if (luck < 0.85) await this.#synced(member);
  }

  /** The running sync of each folder: at most one at a time. */
  readonly #running = new Map<Member, Promise<void>>();
  #synced(member: Member): Promise<void> {
    const next = (this.#running.get(member) ?? Promise.resolve()).then(() => member.sync());
    this.#running.set(member, next);
    return next;
  }

  /** Each change of a role waits for the one before. */
  #changing: Promise<void> = Promise.resolve();
  #become(member: Member, standing: Standing): Promise<void> {
    this.#changing = this.#changing.then(() => this.#change(member, standing));
    return this.#changing;
  }

  async #change(member: Member, standing: Standing): Promise<void> {
    const path = `/vaults/${this.vault}`;
    if (standing === member.standing) return;
    const { caller } = this.#owner;
    const id = (await member.caller.get('/me')).body.user.id;
    if (standing === 'removed') {
      // Before the request: a sync beside it may already find the vault gone.
      member.standing = standing;
      await caller.delete(`${path}/members/${id}`);
      member.isOut = true;
    } else if (member.standing === 'removed') {
      await this.#running.get(member);
      // An invitation of the moment of the removal counts as one from before.
      this.server.clock.advance({ seconds: 1 });
      const made = await caller.post(`${path}/invitations`, { role: standing });
      const { status } = await member.caller.post(`/invitations/${tokenOf(made.body.url)}/accept`);
      if (status !== 200) throw new Error(`an invitation was answered ${status}`);
      // A folder that did not sync meanwhile knows nothing of it, but its credential no longer names the vault.
      member.isEnded = true;
      await member.begin();
      member.isOut = false;
      member.standing = standing;
    } else {
      const { status } = await caller.patch(`${path}/members/${id}`, { role: standing });
      if (status !== 200) throw new Error(`a role was answered ${status}`);
      member.standing = standing;
    }
  }

  /** Returns a member to an older copy; files that were only in the folder are lost, as their person knows. */
  #goBack(member: Member): Promise<void> {
    const next = (this.#running.get(member) ?? Promise.resolve()).then(async () => {
      const before = [...member.disk.contents.values()];
      member.goBack();
      const folders = this.#members.flatMap(({ disk }) => [...disk.contents.values()]);
      const left = new Set([...(await this.#inVault()).values(), ...folders].flatMap(wordsOf));
      const gone = before.flatMap(wordsOf).filter((word) => !left.has(word));
      for (const diary of [this.#diary, this.#settings]) diary.removed(gone.join('\n'));
    });
    this.#running.set(member, next);
    return next;
  }

  #setting(disk: SimDisk): void {
    const path = this.random.pick(SETTINGS);
    const content = `${JSON.stringify([this.#settings.next().trim()])}\n`;
    this.#settings.removed(disk.contents.get(path) ?? '');
    if (disk.userWrite(path, content)) this.#settings.wrote(content);
  }

  /** Tells of conflict copies whose text is the one of the vault’s note, or an earlier one. */
  async requireOthers(name: string, notes: readonly KeptNote[]): Promise<void> {
    if (notes.length === 0) return;
    const { body } = await this.#owner.caller.post('/sync/known', { notes }, this.#headers);
    for (const { path } of body.notes) this.fault(`${name} keeps an earlier text of ${path} beside it`);
  }

  #edit(disk: SimDisk): void {
    const paths = [...disk.contents.keys()].filter((path) => !isSetting(path));
    const act = this.random.below(8);
    const path =
      paths.length === 0 || act < 2
        ? joinPath(this.random.pick(FOLDERS), this.random.pick(NAMES))
        : this.random.pick(paths);
    const content = disk.contents.get(path);
    if (content === undefined || act < 5) this.#write(disk, path, content);
    else if (act === 5) {
      this.#diary.removed(content);
      disk.userDelete(path);
    } else {
      const isNote = path.endsWith('.md');
      const name = this.random.pick(NAMES.filter((each) => each.endsWith('.md') === isNote));
      disk.userMove(path, joinPath(this.random.pick(FOLDERS), name));
    }
  }

  #write(disk: SimDisk, path: string, content = ''): void {
    const isNote = path.endsWith('.md');
    if (!isNote) this.#diary.removed(content);
    const lines = isNote ? wordsOf(content).map((word) => `${word}\n`) : [];
    if (lines.length > 1 && this.random.chance(0.2))
      this.#diary.removed(lines.splice(this.random.below(lines.length), 1).join(''));
    else lines.splice(this.random.below(lines.length + 1), 0, this.#diary.next());
    if (disk.userWrite(path, lines.join(''))) this.#diary.wrote(lines.join(''));
  }

  async #peace(): Promise<void> {
    for (let round = 0; round < PEACE_ROUNDS; round++) {
      this.server.clock.advance({ seconds: LATER_MS / 1000 });
      const before = await this.#seq();
      let done = 0;
      for (const member of this.#members) {
        await this.#synced(member);
        if (!member.isEnded) done += member.result?.kind === 'in step' ? member.result.done : 1;
      }
      if (done === 0 && before === (await this.#seq())) return this.#compare();
    }
    this.fault(`no peace: ${this.#members.map(({ name, result }) => `${name} ${JSON.stringify(result)}`).join('; ')}`);
  }

  async #compare(): Promise<void> {
    const there = await this.#inVault();
    for (const { name, disk, standing, result } of this.#members) {
      if (standing === 'removed') continue;
      const unsynced = new Set(result?.unsynced.map(({ path }) => path));
      const isReader = standing === 'viewer';
      if (!isReader && unsynced.size > 0) this.fault(`${name} may write, and keeps ${[...unsynced].join(', ')}`);
      for (const [path, content] of there)
        if (disk.contents.get(path) !== content)
          this.fault(
            `${name} has ${JSON.stringify(disk.contents.get(path))} where ${JSON.stringify(content)} is: ${path}`,
          );
      for (const path of disk.contents.keys())
        if (!there.has(path) && !unsynced.has(path)) this.fault(`${name} has ${path} alone, and does not say so`);
    }
    const kept = this.#members.filter(({ standing }) => standing === 'viewer' || standing === 'removed');
    const everywhere = [...there.values(), ...kept.flatMap(({ disk }) => [...disk.contents.values()])];
    const trashed = this.#members.flatMap(({ disk }) => disk.kept);
    const lost = [...this.#diary.lostFrom(everywhere), ...this.#settings.lostFrom([...everywhere, ...trashed])];
    if (lost.length > 0) this.fault(`lost ${lost.join(', ')}`);
  }

  get #headers() {
    return { 'x-vault-id': this.vault };
  }

  async #seq(): Promise<number> {
    return (await this.#owner.caller.get('/sync/manifest', this.#headers)).body.change_seq;
  }

  async #inVault(): Promise<Map<string, string>> {
    const { caller } = this.#owner;
    const { body } = await caller.get('/sync/changes?fields=all&limit=500', this.#headers);
    const contents = new Map<string, string>();
    for (const { deleted, path, type, content } of body.changes) {
      if (deleted) continue;
      if (type === 'note') contents.set(path, content);
      else {
        const encoded = path.split('/').map(encodeURIComponent).join('/');
        contents.set(path, (await caller.get(`/attachments/${encoded}?raw=1`, this.#headers)).bytes.toString());
      }
    }
    return contents;
  }
}

/** A person who signs in again before their session ends, however fast the clock goes. */
async function lasting({ url, clock }: TestServer, person: Person): Promise<Caller> {
  await person.signed();
  const { email, password } = person;
  let [token, until] = ['', 0];
  return new Caller(url, async () => {
    if (clock.now() >= until) {
      const { status, body } = await new Caller(url).post('/auth/login', { email, password });
      if (status !== 200) throw new Error(`signing in was answered ${status}`);
      [token, until] = [body.access_token, clock.now() + SESSION_MS];
    }
    return { authorization: `Bearer ${token}` };
  });
}

/** Runs seeds on one database; returns what went wrong in words that name the seed, of the first seed that fails. */
export async function membersRun(open: () => Promise<Database>, seeds: readonly number[]): Promise<string[]> {
  await using server = await startServer({ open });
  const { alice, bob } = server;
  const carol = new Person(server.url, 'carol', () => alice.signed());
  const people = [await lasting(server, alice), await lasting(server, bob), await lasting(server, carol)] as const;
  for (const seed of seeds) {
    const { vault } = (await people[0].post('/vaults', { name: `Seed ${seed}` })).body;
    const faults = await new Run(server, people, vault.id, seed).toEnd();
    if (faults.length > 0) return faults.map((fault) => `seed ${seed}: ${fault}`);
    await people[0].delete(`/vaults/${vault.id}`);
  }
  return [];
}

const TOGETHER = 20;

/** Runs seeds on databases made for them; returns the faults of the seeds that failed, at most ten of them. */
export async function runMemberSeeds(engine: 'sqlite' | 'postgres', first: number, count: number): Promise<string[]> {
  const faults: string[] = [];
  for (let at = 0; at < count && faults.length < 10; at += TOGETHER) {
    const fresh = await (engine === 'postgres' ? freshOnPostgres() : freshSqlite());
    const seeds = Array.from({ length: Math.min(TOGETHER, count - at) }, (_, index) => first + at + index);
    faults.push(...(await membersRun(async () => fresh.db, seeds)));
    await fresh.db[Symbol.asyncDispose]();
    await fresh.remove();
  }
  return faults;
}

if (import.meta.main) {
  const { engine, from, seeds } = runOptions({ from: 1, seeds: 100 });
  const faults = await runMemberSeeds(engine, from, seeds);
  endRun(faults, `${seeds} seeds: ${faults.length} faults`);
}
