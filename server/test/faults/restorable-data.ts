import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileOf, readRaw, sha256, uploadRaw } from '../kit/content/files.ts';
import { cli, type Environment, startServe } from '../kit/programs/process.ts';
import { aliceAt } from '../kit/signed-in.ts';

const preload = pathToFileURL(join(import.meta.dirname, 'kill-at-step.ts')).href;
const early = fileOf('png', 3000);
const late = fileOf('png', 4000);

/** Data before a restore, and that of the backup. */
export type Data = 'old' | 'new';
export type DataEnvironment = Environment & { readonly NOTEVAULT_DATA_DIR: string };

/** Data, and a backup of it that lacks its last changes. */
export interface Prepared {
  readonly env: DataEnvironment;
  readonly backups: string;
}

/** Takes a backup and changes the data after it, so that old and new can be told apart. */
export async function prepare(env: DataEnvironment, backups: string): Promise<void> {
  await using server = await startServe({ env });
  const alice = await aliceAt(server.url);
  await alice.post('/vaults', { name: 'Diary' });
  await alice.post('/notes', { path: 'both.md', content: 'before', mtime: 1 });
  await uploadRaw(alice, 'early.png', early);
  const taken = await cli(['backup', backups], { env });
  assert.equal(taken.code, 0, taken.stderr);
  await alice.post('/notes', { path: 'both.md', content: 'after', mtime: 2 });
  await alice.post('/notes', { path: 'later.md', content: 'after', mtime: 2 });
  await uploadRaw(alice, 'late.png', late);
  await server.stop();
}

/** Starts a server, and checks that what it serves is whole. */
export async function dataOf(env: DataEnvironment): Promise<Data> {
  await using server = await startServe({ env });
  const alice = await aliceAt(server.url);
  const { content } = (await alice.get('/notes/both.md')).body;
  assert.ok(content === 'before' || content === 'after', content);
  assert.equal((await alice.get('/notes/later.md')).status, content === 'after' ? 200 : 404);
  assert.equal(sha256((await readRaw(alice, 'early.png')).bytes), sha256(early));
  const stored = await readRaw(alice, 'late.png');
  if (content === 'after') assert.equal(sha256(stored.bytes), sha256(late));
  else assert.equal(stored.status, 404);
  assert.equal((await alice.post('/notes', { path: 'next.md', content: 'next', mtime: 3 })).status, 200);
  await server.stop();
  return content === 'after' ? 'old' : 'new';
}

/** Kills a command at a step; resolves to what a server finds then. */
export async function dataAfterKill(env: DataEnvironment, args: string[], step: string): Promise<Data> {
  const under = { ...env, NODE_OPTIONS: `--import=${preload}`, KILL_AT: step };
  const { signal, stdout, stderr } = await cli(args, { env: under });
  assert.equal(signal, 'SIGKILL', `was not killed: ${stdout}${stderr}`);
  return dataOf(env);
}
