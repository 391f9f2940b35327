import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../server/test/kit/programs/free-port.ts';
import { runProgram, startProgram } from './programs.ts';

const LOGIN = { email: 'alice@example.org', password: 'correct horse battery' };
const OWN = '@request.auth.id != "" && owner = @request.auth.id';

/** A PocketBase server with one user, who alone may read and write their notes. */
export interface PocketBase extends AsyncDisposable {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly owner: string;
  cpu(): Promise<number>;
}

/** Starts the binary in an empty folder, with its own settings, and makes the collection `notes`. */
export async function startPocketBase(binary: string): Promise<PocketBase> {
  const folder = await mkdtemp(join(tmpdir(), 'notevault-bench-'));
  const address = `127.0.0.1:${await freePort()}`;
  // It keeps migrations of collections beside its folder, and applies those of another server too.
  const dir = ['--dir', join(folder, 'data')];
  await runProgram(binary, ['superuser', 'upsert', LOGIN.email, LOGIN.password, ...dir]);
  const program = startProgram(binary, ['serve', '--http', address, ...dir]);
  const url = `http://${address}`;
  await untilReady(url);
  const post = async <Answer>(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    const answer = await fetch(`${url}/api/collections${path}`, { ...init, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`status ${answer.status} for ${path}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const signIn = async (collection: string) => {
    const path = `/${collection}/auth-with-password`;
    const { token, record } = await post<{ token: string; record: { id: string } }>(path, {
      ...{ identity: LOGIN.email, password: LOGIN.password },
    });
    return { headers: { authorization: token }, id: record.id };
  };
  const { headers: admin } = await signIn('_superusers');
  await post('/users/records', { ...LOGIN, passwordConfirm: LOGIN.password }, admin);
  const { headers, id: owner } = await signIn('users');
  await post('', notesOf(await usersId(url, admin)), admin);
  return {
    ...{ url, headers, owner, cpu: program.cpu },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function notesOf(users: string): object {
  const text = (name: string, max: number) => ({ name, type: 'text', required: true, max });
  return {
    ...{ name: 'notes', type: 'base' },
    ...{ listRule: OWN, viewRule: OWN, createRule: OWN, updateRule: OWN, deleteRule: OWN },
    fields: [
      { name: 'owner', type: 'relation', collectionId: users, maxSelect: 1, required: true },
      ...[text('path', 4096), text('content', 5_000_000)],
      { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true },
    ],
    indexes: ['create unique index notes_by_path on notes (owner, path)'],
  };
}

async function usersId(url: string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(`${url}/api/collections/users`, { headers });
  return ((await answer.json()) as { id: string }).id;
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/api/health`).catch(() => null);
    if (answer?.ok) return;
    await wait(50);
  }
}
