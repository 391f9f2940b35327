import { cpSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { databaseFile } from '../../src/data/data-folder.ts';
import { keyFile } from '../../src/open-ports.ts';
import { readKeyFile } from '../../src/ports/keyring/key-file.ts';
import { readRaw, sha256 } from '../kit/content/files.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { makeDataPlace } from '../kit/programs/data-place.ts';
import { cli, type Environment, Folder, startCli, startServe } from '../kit/programs/process.ts';
import { anySeed, type EngineName, endRun, runOptions } from '../kit/programs/run.ts';
import { Random } from '../kit/random.ts';
import { pause, Typists } from './backup-typing.ts';
import { checkLedger } from './kill-check.ts';
import type { FileSlot } from './kill-files.ts';
import { callerOf, hashOf, type Ledger, lastVersion, load, newLedger, type Slot, signInAgain } from './kill-load.ts';
import type { TypedWords } from './typed-words.ts';

/*
 * node server/test/faults/backup-load.ts --engine sqlite|postgres [--rounds 50] [--seed N]
 *
 * Takes backups of a server under load, while clients type over sockets, and restores each into an empty place: everything that was acknowledged before
 * the backup began must be there, and everything there must fit together. Some backups are killed first.
 */

export interface BackupRun {
  readonly engine: EngineName;
  readonly rounds: number;
  readonly seed: number;
  readonly report?: (line: string) => void;
}

/** A copy of what the ledger knows at one moment. */
type Known = Pick<Ledger, 'slots' | 'vaults'> & {
  readonly files: readonly FileSlot[];
  readonly words: readonly TypedWords[];
};

/** Returns every fault found, in words; empty when all backups were whole. */
export async function backupRun({ engine, rounds, seed, report = () => undefined }: BackupRun): Promise<string[]> {
  const random = new Random(seed);
  using folder = new Folder();
  await using opened = new AsyncDisposableStack();
  const { env } = await makeDataPlace(engine, folder.at('data'), opened);
  let server = opened.use(await startServe({ env }));
  const ledger = await newLedger(server.url);
  const typists = opened.use(await Typists.create(callerOf(server.url, ledger), random));
  for (let round = 1; round <= rounds; round++) {
    const typing = await typists.type(server.url, ledger.token);
    const loading = load(server.url, ledger, random, pause);
    const until = ledger.acknowledged + 100 + random.below(200);
    while (ledger.acknowledged < until) await pause();
    if (random.chance(0.3)) await killedBackup(folder.at('backups'), env, random);
    const before = knownOf(ledger, typists);
    const taken = await cli(['backup', folder.at('backups'), '--keep', '2'], { env });
    const after = knownOf(ledger, typists);
    await server.kill();
    await Promise.all([loading, typing.ended]);
    if (taken.code !== 0) return [`the backup ended with ${taken.code}: ${taken.stdout}${taken.stderr}`];
    const faults = await compareRestored(folder.at('backups'), env, { engine, before, after, ledger, typists });
    server = opened.use(await startServe({ env }));
    await signInAgain(server.url, ledger);
    faults.push(...(await checkLedger(server.url, ledger)));
    faults.push(...(await typists.check(server.url, ledger.token, typists.people)));
    const during = after.slots.filter((slot, at) => !isDeepStrictEqual(slot, before.slots[at])).length;
    const words = wordsIn(after) - wordsIn(before);
    report(`round ${round}: ${during} notes and ${words} words during the backup, ${faults.length} faults`);
    if (faults.length > 0) return faults;
  }
  return [];
}

function knownOf({ slots, vaults, files }: Ledger, typists: Typists): Known {
  return structuredClone({ slots, vaults, files: files.slots, words: typists.acknowledged() });
}

function wordsIn({ words }: Known): number {
  return words.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
}

/** A backup that ends before it is done leaves nothing that the next one would trust. */
async function killedBackup(folder: string, env: Environment, random: Random): Promise<void> {
  using backup = startCli(['backup', folder], { env });
  const timer = setTimeout(() => backup.kill('SIGKILL'), 200 + random.below(800));
  const { code } = await backup.ended;
  clearTimeout(timer);
  if (code === 0) return;
  // Its lease would block the next backup for minutes.
  await using raw = await openRaw(
    env.NOTEVAULT_DATABASE_URL === undefined
      ? { file: databaseFile(env.NOTEVAULT_DATA_DIR ?? '') }
      : { url: env.NOTEVAULT_DATABASE_URL },
  );
  await raw.run('update backup_state set holder = null, lease_until = 0');
}

interface Comparison {
  readonly engine: EngineName;
  readonly before: Known;
  readonly after: Known;
  readonly ledger: Ledger;
  readonly typists: Typists;
}

async function compareRestored(folder: string, env: Environment, comparison: Comparison): Promise<string[]> {
  using elsewhere = new Folder();
  await using opened = new AsyncDisposableStack();
  const there = await makeDataPlace(comparison.engine, elsewhere.at('data'), opened);
  const verified = await cli(['verify', folder, '--deep'], { env });
  if (verified.code !== 0) return [`verify ended with ${verified.code}: ${verified.stdout}${verified.stderr}`];
  const key = { NOTEVAULT_MASTER_KEY: await keyTextOf(env.NOTEVAULT_DATA_DIR ?? '') };
  const restored = await cli(['restore', folder], { env: { ...there.env, ...key } });
  if (restored.code !== 0) return [`restore ended with ${restored.code}: ${restored.stdout}${restored.stderr}`];
  cpSync(keyFile(env.NOTEVAULT_DATA_DIR ?? ''), keyFile(elsewhere.at('data')));
  const faults = await there.inconsistencies();
  await using server = await startServe({ env: there.env });
  const signed = await signInAgain(server.url, { ...comparison.ledger });
  faults.push(...(await compareNotes(server.url, signed, comparison)));
  faults.push(...(await compareFiles(server.url, signed, comparison)));
  faults.push(...(await comparison.typists.check(server.url, signed.token, comparison.before.words)));
  return faults.map((fault) => `restored: ${fault}`);
}

async function keyTextOf(dataDir: string): Promise<string> {
  return (await readKeyFile(keyFile(dataDir)))?.toString('base64') ?? '';
}

/** A note that nobody wrote during the backup is as it was; another one is in a state between the two. */
async function compareNotes(url: string, signed: Ledger, { before, after }: Comparison): Promise<string[]> {
  const caller = callerOf(url, signed);
  const { vaults } = (await caller.get('/vaults')).body as { vaults: { id: string }[] };
  const listed = new Set(vaults.map(({ id }) => id));
  const lost = [...before.vaults.values()].filter((id) => id !== null && !listed.has(id));
  const faults = lost.map((id) => `vault ${id} was acknowledged and is not there`);
  for (const [at, slot] of before.slots.entries()) {
    const later = after.slots[at];
    const answer = await caller.get(`/notes/${encodeURI(slot.path)}`, { 'x-vault-id': slot.vault });
    const fault = later === undefined ? 'is gone from the ledger' : compareNote(slot, later, answer);
    if (fault !== null) faults.push(`${slot.path} in ${slot.vault} ${fault}`);
  }
  return faults;
}

type Answered = Awaited<ReturnType<ReturnType<typeof callerOf>['get']>>;

function compareNote(before: Slot, after: Slot, { status, body }: Answered): string | null {
  if (status !== 200 && status !== 404) return `was answered ${status} ${JSON.stringify(body)}`;
  if (status === 200 && hashOf(body.content) !== body.content_hash) return 'has another text than its hash';
  const untouched = before.pending === null && isDeepStrictEqual(before, after);
  if (!untouched) {
    if (status === 404) return null;
    const fits = body.version >= lastVersion(before.known) && body.version <= lastVersion(after.known) + 1;
    return fits ? null : `has version ${body.version}, which it never had`;
  }
  if (before.known.kind === 'absent') return status === 404 ? null : 'is there although it was deleted';
  const { id, version, hash } = before.known.note;
  if (status === 404) return `is missing: version ${version} was acknowledged`;
  const same = body.id === id && body.version === version && body.content_hash === hash;
  return same ? null : `is version ${body.version} instead of ${version}`;
}

async function compareFiles(url: string, signed: Ledger, { before, after }: Comparison): Promise<string[]> {
  const caller = callerOf(url, signed);
  const faults: string[] = [];
  for (const [at, slot] of before.files.entries()) {
    const { status, bytes, headers } = await readRaw(caller, slot.path, { 'x-vault-id': slot.vault });
    const found = status === 200 ? sha256(bytes) : null;
    const said = (what: string) => faults.push(`${slot.path} in ${slot.vault} ${what}`);
    if (status !== 200 && status !== 404) said(`was answered ${status}`);
    if (found !== null && headers.get('etag') !== `"${found}"`) said('has other bytes than its hash');
    const untouched = slot.pending === null && isDeepStrictEqual(slot, after.files[at]);
    if (untouched && found !== slot.kept) said(`has ${found} instead of ${slot.kept}`);
  }
  return faults;
}

if (import.meta.main) {
  const run = runOptions({ rounds: 50, seed: anySeed() });
  console.log(`${run.engine}, ${run.rounds} rounds, --seed ${run.seed}`);
  endRun(await backupRun({ ...run, report: console.log }));
}
