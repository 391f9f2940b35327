import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { databaseFile } from '../../../src/data/data-folder.ts';
import { keyFile } from '../../../src/open-ports.ts';
import { type FreshDatabase, freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { openRaw } from '../../kit/database/raw-sql.ts';
import { cli, type Environment, Folder, startServe } from '../../kit/programs/process.ts';
import { aliceAt } from '../../kit/signed-in.ts';

const noPostgres = whyNoPostgres() ?? false;

const SECRET = 'quince';

/** Data with damage in a note's row, another note's text, a version of a third one and an attachment. */
async function damagedData(env: Environment & { NOTEVAULT_DATA_DIR: string }, database: FreshDatabase | null) {
  await using server = await startServe({ env });
  const alice = await aliceAt(server.url);
  const { body } = await alice.post('/vaults', { name: 'Diary' });
  const write = async (path: string, content = `${SECRET} ${path}`) =>
    String((await alice.post('/notes', { path, content, mtime: 1 })).body.note.id);
  await write('sound.md');
  const row = await write(`${SECRET}.md`);
  const text = await write('text.md');
  const version = await write('version.md');
  await write('version.md', 'another text');
  const made = await alice.post('/attachments', { path: 'a.txt', content_base64: 'dGV4dA==', mtime: 1 });
  await alice.post('/attachments', { path: 'b.txt', content_base64: 'dGV4dA==', mtime: 1 });
  const file = String(made.body.attachment.id);
  await server.stop();
  await using raw = await openRaw(database ?? { file: databaseFile(env.NOTEVAULT_DATA_DIR) });
  for (const id of [row, file]) await raw.run('update entries set meta = $2 where id = $1', id, Buffer.alloc(64));
  await raw.run('update note_bodies set content = $2 where note_id = $1', text, Buffer.alloc(64));
  await raw.run('update note_versions set content = $2 where note_id = $1', version, Buffer.alloc(64));
  const vault = `in vault ${String(body.vault.id)}`;
  const lines = [
    ...[`note ${row} ${vault}`, `attachment ${file} ${vault}`],
    ...[`text of note ${text} ${vault}`, `version 1 of note ${version} ${vault}`],
  ];
  return { lines, row, file };
}

/** Runs a command and returns its output, which must contain no content of notes. */
async function printed(args: string[], env: Environment, code: number): Promise<string> {
  const ended = await cli(args, { env });
  const all = ended.stdout + ended.stderr;
  assert.equal(ended.code, code, `${args.join(' ')}: ${all}`);
  assert.ok(!all.includes(SECRET), all);
  return all;
}

function assertNames(output: string, lines: readonly string[]): void {
  for (const line of lines)
    assert.ok(
      output.split('\n').some((one) => one.trim() === line),
      `${line}\n${output}`,
    );
}

describe('data with damaged rows', () => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const skip = engine === 'postgres' && noPostgres;
    test(`is named row by row by doctor, verify and restore, which brings back the rest on ${engine}`, {
      skip,
    }, async () => {
      using folder = new Folder();
      await using opened = new AsyncDisposableStack();
      const make = async (name: string) => {
        const database = engine === 'postgres' ? opened.use(await freshPostgres()) : null;
        const url = database === null ? {} : { NOTEVAULT_DATABASE_URL: database.url };
        return { env: { NOTEVAULT_DATA_DIR: folder.at(name), ...url }, database };
      };
      const [from, to] = [await make('data'), await make('elsewhere')];
      const { lines } = await damagedData(from.env, from.database);
      const doctor = await printed(['doctor'], from.env, 1);
      assert.match(doctor, /^FAULT rows of vaults: 4 of \d+ are damaged\. .*notevault restore BACKUP/m);
      assertNames(doctor, lines);

      const backups = folder.at('backups');
      await printed(['backup', backups], from.env, 0);
      for (const args of [
        ['verify', backups],
        ['verify', backups, '--deep'],
      ]) {
        const verified = await printed(args, from.env, 1);
        assert.match(verified, /4 rows were damaged before it was taken\. A restore brings back the rest/);
        assertNames(verified, lines);
      }
      const key = readFileSync(keyFile(from.env.NOTEVAULT_DATA_DIR), 'utf8').trim();
      const there = { ...to.env, NOTEVAULT_MASTER_KEY: key };
      const restored = await printed(['restore', backups], there, 0);
      assertNames(restored, lines);
      await using server = await startServe({ env: there });
      const alice = await aliceAt(server.url);
      assert.equal((await alice.get('/notes/sound.md')).body.content, `${SECRET} sound.md`);
      const { body } = await alice.get('/sync/manifest?unreadable=list');
      assert.deepEqual([body.total_notes, body.total_attachments, body.unreadable.length], [3, 1, 2]);
      await server.stop();
    });

    test(`is exported and imported into with what opens, and the rest listed on ${engine}`, {
      skip,
    }, async () => {
      using folder = new Folder();
      await using opened = new AsyncDisposableStack();
      const database = engine === 'postgres' ? opened.use(await freshPostgres()) : null;
      const url = database === null ? {} : { NOTEVAULT_DATABASE_URL: database.url };
      const env = { NOTEVAULT_DATA_DIR: folder.at('data'), ...url };
      const { row, file } = await damagedData(env, database);
      mkdirSync(folder.at('more'));
      writeFileSync(folder.at('more', 'new.md'), 'new');
      writeFileSync(folder.at('more', 'c.txt'), 'new');
      const exportAndImport = async (name: string) => {
        const out = folder.at(name);
        const exported = await printed(['export', 'Diary', out], env, 1);
        assertNames(exported, [
          `note ${row}: is damaged on the server`,
          `attachment ${file}: is damaged on the server`,
        ]);
        assert.match(exported, /^ {4}text\.md: /m);
        assert.equal(readFileSync(`${out}/sound.md`, 'utf8'), `${SECRET} sound.md`);
        assert.ok(existsSync(`${out}/b.txt`) && !existsSync(`${out}/text.md`), readdirSync(out).join());
        const imported = await printed(['import', folder.at('more'), '--vault', 'Diary'], env, 1);
        assertNames(imported, [
          `note ${row}: is damaged on the server`,
          `attachment ${file}: is damaged on the server`,
        ]);
      };
      await exportAndImport('out');
      await using server = await startServe({ env });
      await exportAndImport('out-by-server');
      const alice = await aliceAt(server.url);
      assert.equal((await alice.get('/notes/new.md')).body.content, 'new');
      await server.stop();
    });
  }
});
