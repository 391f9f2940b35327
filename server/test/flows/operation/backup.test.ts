import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { MANIFEST_FILE, objectPath, readManifest, writeManifest } from '../../../src/backup/format.ts';
import { hmacOf } from '../../../src/backup/take/take-backup.ts';
import { databaseFile } from '../../../src/data/data-folder.ts';
import { migrations } from '../../../src/data/migrations.ts';
import { keyFile } from '../../../src/open-ports.ts';
import { MasterKeyring } from '../../../src/ports/keyring/master-key.ts';
import { fileOf, readRaw, sha256, uploadRaw } from '../../kit/content/files.ts';
import { openRaw } from '../../kit/database/raw-sql.ts';
import { assertFails, cli, startServe, suiteFolder } from '../../kit/programs/process.ts';
import { Random } from '../../kit/random.ts';
import { aliceAt, bearer, tokenAt } from '../../kit/signed-in.ts';

const folder = suiteFolder();
const env = { NOTEVAULT_DATA_DIR: folder.at('data') };
const backups = folder.at('backups');
const picture = fileOf('png', 300_000);
const newest = () =>
  readdirSync(backups)
    .filter((name) => name.endsWith('Z'))
    .sort()
    .at(-1) ?? '';

/** The files below a folder, by path. */
function filesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('notevault backup, verify and restore', () => {
  let key: string;
  let grant: string;
  before(async () => {
    await using server = await startServe({ env });
    const alice = await aliceAt(server.url);
    assert.equal((await alice.post('/vaults', { name: 'Diary' })).status, 201);
    for (let at = 0; at < 30; at++) {
      await alice.post('/notes', { path: `n${at}.md`, content: `# Note ${at}\n[[n${at + 1}]] before\n`, mtime: 1 });
    }
    assert.equal((await uploadRaw(alice, 'picture.png', picture)).status, 200);
    const made = await alice.post('/connections/pat', { name: 'script' });
    grant = made.body.key;
    const taken = await cli(['backup', backups], { env });
    assert.equal(taken.code, 0, taken.stderr);
    assert.match(taken.stderr, /1 vault, 30 notes, 1 attachment .*\n.*keep a copy/s);
    key = readFileSync(keyFile(env.NOTEVAULT_DATA_DIR), 'utf8').trim();
  });

  it('notevault backup writes a folder and files that only their owner can read, without any text', async () => {
    assert.equal(statSync(backups).mode & 0o777, 0o700);
    for (const file of filesBelow(backups)) {
      assert.equal(statSync(file).mode & 0o077, 0, file);
      const bytes = readFileSync(file);
      for (const text of ['Note 7', 'Diary', 'n7.md', 'picture.png', key])
        assert.ok(!bytes.includes(text), `${file} has ${text}`);
    }
  });

  it('notevault backup copies only new files beside an earlier backup, and --keep removes older ones', async () => {
    const blobs = () => filesBelow(join(backups, 'blobs'));
    const before = blobs().map((file) => [file, statSync(file).mtimeMs]);
    const first = newest();
    const again = await cli(['backup', backups, '--keep', '1'], { env });
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stderr, /Removed 1 older backup\./);
    assert.deepEqual(
      blobs().map((file) => [file, statSync(file).mtimeMs]),
      before,
    );
    assert.ok(!existsSync(join(backups, first)));
    const checked = await cli(['verify', backups, '--deep'], { env });
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
    assert.match(checked.stdout, /30 notes and 1 attachment listed in 1 vault\nThe backup is good/);
  });

  it('notevault verify checks only the bytes without the master key, and says so', async () => {
    const other = { NOTEVAULT_DATA_DIR: folder.at('nothing') };
    const checked = await cli(['verify', backups], { env: other });
    assert.equal(checked.code, 0, checked.stderr);
    assert.match(checked.stdout, /without the master key only hashes are compared/);
    assertFails(await cli(['verify', backups, '--deep'], { env: other }), /--deep .* needs the master key/);
    const wrong = { ...other, NOTEVAULT_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
    assertFails(await cli(['verify', backups], { env: wrong }), /sealed under master key [0-9a-f]{16}, but/);
  });

  it('notevault verify says how much room a check needs when there is not enough', async () => {
    const large = folder.at('large');
    cpSync(backups, large, { recursive: true });
    const file = join(large, newest(), 'manifest.json');
    const { body } = JSON.parse(readFileSync(file, 'utf8'));
    const keyring = new MasterKeyring(Buffer.from(key, 'base64'), () => Buffer.alloc(0));
    writeFileSync(file, writeManifest({ ...body, blobs: { ...body.blobs, bytes: 1e15 } }, hmacOf(keyring)));
    assertFails(
      await cli(['verify', large], { env }),
      /Verifying \(TMPDIR .* needs 100000\d{4} MB, but .* only \d+ MB/,
    );
  });

  it('notevault verify refuses a manifest whose hashes were recomputed by somebody without the master key', async () => {
    const forged = folder.at('forged');
    cpSync(backups, forged, { recursive: true });
    const file = join(forged, newest(), 'manifest.json');
    const { body, hmac } = JSON.parse(readFileSync(file, 'utf8'));
    const signed = { body: { ...body, counts: { ...body.counts, notes: 31 } }, hmac };
    writeFileSync(file, `${JSON.stringify({ ...signed, sha256: sha256(Buffer.from(JSON.stringify(signed))) })}\n`);
    assertFails(await cli(['verify', forged], { env }), /manifest\.json was not written with the master key/);
    const there = { NOTEVAULT_DATA_DIR: folder.at('from-forged'), NOTEVAULT_MASTER_KEY: key };
    assertFails(await cli(['restore', forged], { env: there }), /was not written with the master key/);
    assert.ok(!existsSync(databaseFile(there.NOTEVAULT_DATA_DIR)));
  });

  /** A cursor and a session of the server that was backed up. */
  async function readBefore(): Promise<[cursor: string, token: string]> {
    await using server = await startServe({ env });
    const token = await tokenAt(server.url);
    const { body } = await bearer(server.url, token).get('/sync/changes?limit=10');
    return [body.resume_cursor, token];
  }

  it('notevault restore fills an empty folder with notes, attachments and grants; sessions and cursors end', async () => {
    const there = { NOTEVAULT_DATA_DIR: folder.at('elsewhere'), NOTEVAULT_MASTER_KEY: key };
    const [cursor, token] = await readBefore();
    const restored = await cli(['restore', backups], { env: there });
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /undone .*every change, revocation and deletion/);
    await using server = await startServe({ env: there });
    assert.equal((await bearer(server.url, token).get('/notes/n7.md')).status, 401);
    const alice = await aliceAt(server.url);
    const { body: manifest } = readManifest(
      readFileSync(join(backups, newest(), MANIFEST_FILE), 'utf8'),
      MANIFEST_FILE,
    );
    assert.equal((await alice.get('/admin/health')).body.last_backup_at, manifest.taken_at);
    assert.match((await alice.get('/notes/n7.md')).body.content, /Note 7/);
    assert.equal(sha256((await readRaw(alice, 'picture.png')).bytes), sha256(picture));
    assert.equal((await alice.get(`/sync/changes?limit=10&cursor=${encodeURIComponent(cursor)}`)).status, 410);
    assert.equal((await bearer(server.url, grant).get('/notes/n7.md')).status, 200);
  });

  it('--revoke-credentials ends keys too', async () => {
    const there = { NOTEVAULT_DATA_DIR: folder.at('revoked'), NOTEVAULT_MASTER_KEY: key };
    const restored = await cli(['restore', backups, '--revoke-credentials'], { env: there });
    assert.equal(restored.code, 0, restored.stderr);
    await using server = await startServe({ env: there });
    assert.equal((await bearer(server.url, grant).get('/notes/n7.md')).status, 401);
  });

  it('notevault restore replaces data only with the server stopped, and keeps it as a restore point', async () => {
    const data = folder.at('present');
    cpSync(env.NOTEVAULT_DATA_DIR, data, { recursive: true });
    const there = { NOTEVAULT_DATA_DIR: data };
    {
      await using server = await startServe({ env: there });
      const alice = await aliceAt(server.url);
      await alice.post('/notes', { path: 'later.md', content: 'written after the backup', mtime: 1 });
      assertFails(await cli(['restore', backups], { env: there }), /Another notevault process works in/);
      assert.equal((await alice.get('/notes/later.md')).status, 200);
      await server.stop();
    }
    const restored = await cli(['restore', backups], { env: there });
    assert.equal(restored.code, 0, restored.stderr);
    const point = readdirSync(data).find((name) => name.startsWith('restore-point-')) ?? '';
    assert.ok(existsSync(databaseFile(join(data, point))), restored.stdout);
    await using server = await startServe({ env: there });
    const alice = await aliceAt(server.url);
    assert.equal((await alice.get('/notes/later.md')).status, 404);
    assert.equal((await alice.get('/notes/n7.md')).status, 200);
  });

  it('notevault restore adds one vault as a new one, or one note as a version, beside a running server', async () => {
    const data = folder.at('one');
    cpSync(env.NOTEVAULT_DATA_DIR, data, { recursive: true });
    const there = { NOTEVAULT_DATA_DIR: data };
    await using server = await startServe({ env: there });
    const alice = await aliceAt(server.url);
    await alice.post('/notes', { path: 'n7.md', content: 'spoilt', mtime: 1 });
    await alice.delete('/notes/n8.md');
    const note = await cli(['restore', backups, '--vault', 'Diary', '--note', 'n7.md'], { env: there });
    assert.equal(note.code, 0, note.stderr);
    const now = (await alice.get('/notes/n7.md')).body;
    assert.match(now.content, /Note 7/);
    assert.ok(now.version >= 3, 'a version of the same note');
    assert.equal((await alice.get('/notes/n8.md')).status, 404, 'nothing else is brought back');
    const vault = await cli(['restore', backups, '--vault', 'Diary'], { env: there });
    assert.equal(vault.code, 0, vault.stderr);
    const made = (await alice.get('/vaults')).body.vaults.find(({ name }: { name: string }) =>
      name.startsWith('Diary ('),
    );
    const inIt = { 'x-vault-id': made.id };
    assert.match((await alice.get('/notes/n8.md', inIt)).body.content, /Note 8/);
    assert.equal(sha256((await readRaw(alice, 'picture.png', inIt)).bytes), sha256(picture));
    const again = await cli(['restore', backups, '--vault', 'Diary'], { env: there });
    assert.match(
      again.stdout,
      new RegExp(`as the vault "${made.name.replace(/[()]/g, '\\$&').replace('\\)', ', 2\\)')}"`),
    );
    assertFails(await cli(['restore', backups, '--vault', 'Other'], { env: there }), /no vault named "Other"/);
  });

  it('a backup has the master key under a passphrase if that is wanted', async () => {
    const withKey = folder.at('with-key');
    const short = await cli(['backup', withKey, '--include-key', '--passphrase-stdin'], { env, input: 'short\n' });
    assertFails(short, /12 characters or more/);
    const input = 'correct horse battery staple\n';
    const taken = await cli(['backup', withKey, '--include-key', '--passphrase-stdin'], { env, input });
    assert.equal(taken.code, 0, taken.stderr);
    const there = { NOTEVAULT_DATA_DIR: folder.at('with-key-restored') };
    const wrong = await cli(['restore', withKey, '--passphrase-stdin'], { env: there, input: 'another passphrase\n' });
    assertFails(wrong, /does not open the master key/);
    const restored = await cli(['restore', withKey, '--passphrase-stdin'], { env: there, input });
    assert.equal(restored.code, 0, restored.stderr);
    assert.equal(readFileSync(keyFile(there.NOTEVAULT_DATA_DIR), 'utf8').trim(), key);
    await using server = await startServe({ env: there });
    assert.equal((await (await aliceAt(server.url)).get('/notes/n7.md')).status, 200);
  });

  it('a backup from before a key rotation needs the old key, which messages name, and is restored', async () => {
    const data = folder.at('rotated');
    const there = { NOTEVAULT_DATA_DIR: data };
    cpSync(env.NOTEVAULT_DATA_DIR, data, { recursive: true });
    const rotated = await cli(['keys', 'rotate'], { env: there });
    assert.equal(rotated.code, 0, rotated.stderr);
    const old = readdirSync(data).find((name) => name.startsWith('master.key.old-')) ?? '';
    const named = new RegExp(`kept in ${join(data, old)}\\. Run this with NOTEVAULT_MASTER_KEY=`);
    for (const command of ['verify', 'restore']) assertFails(await cli([command, backups], { env: there }), named);
    const withOld = { ...there, NOTEVAULT_MASTER_KEY: readFileSync(join(data, old), 'utf8').trim() };
    assert.equal((await cli(['verify', backups], { env: withOld })).code, 0);
    const restored = await cli(['restore', backups], { env: withOld });
    assert.equal(restored.code, 0, restored.stderr);
    const input = readFileSync(keyFile(data), 'utf8');
    const back = await cli(['keys', 'rotate', '--new-key-stdin'], { env: withOld, input });
    assert.equal(back.code, 0, back.stderr);
    await using server = await startServe({ env: there });
    assert.equal((await (await aliceAt(server.url)).get('/notes/n7.md')).status, 200);
  });

  it('names the file of a backup that is damaged in any byte, in verify and in restore', async () => {
    const random = new Random(5);
    const files = filesBelow(backups).filter((file) => !file.endsWith('lock.sqlite'));
    const sizes = files.map((file) => statSync(file).size);
    for (let round = 0; round < 4; round++) {
      const damaged = folder.at(`damaged-${round}`);
      cpSync(backups, damaged, { recursive: true });
      const at = round % files.length;
      const file = (files[at] ?? '').replace(backups, damaged);
      const bytes = readFileSync(file);
      const where = random.below(sizes[at] ?? 0);
      bytes.writeUInt8(bytes.readUInt8(where) ^ (1 << random.below(8)), where);
      writeFileSync(file, bytes);
      const names = new RegExp(`(?:damaged|newer).*${file.split('/').at(-1)}|${file.split('/').at(-1)}.*newer`);
      assertFails(await cli(['verify', damaged], { env }), names);
      const there = { NOTEVAULT_DATA_DIR: folder.at(`damaged-data-${round}`), NOTEVAULT_MASTER_KEY: key };
      assertFails(await cli(['restore', damaged], { env: there }), names);
      assert.deepEqual(readdirSync(there.NOTEVAULT_DATA_DIR), ['lock.sqlite']);
      rmSync(damaged, { recursive: true });
    }
  });

  it('notevault backup takes one beside one whose list of attachments is damaged, and is good itself', async () => {
    const damaged = folder.at('damaged list');
    cpSync(backups, damaged, { recursive: true });
    const { blobs } = readManifest(readFileSync(join(damaged, newest(), MANIFEST_FILE), 'utf8'), MANIFEST_FILE).body;
    const list = join(damaged, objectPath('database', blobs.lists[0]?.[0] ?? ''));
    const bytes = readFileSync(list);
    bytes.writeUInt8(bytes.readUInt8(5) ^ 1, 5);
    writeFileSync(list, bytes);
    const taken = await cli(['backup', damaged], { env });
    assert.equal(taken.code, 0, taken.stderr);
    const verified = await cli(['verify', damaged, '--deep'], { env });
    assert.match(verified.stdout, /The backup is good\./, verified.stderr);
  });

  it('notevault restore refuses data of a newer version before any change, and names both versions', async () => {
    const data = folder.at('newer');
    cpSync(env.NOTEVAULT_DATA_DIR, data, { recursive: true });
    await using raw = await openRaw({ file: databaseFile(data) });
    const known = migrations.length;
    await raw.run("insert into schema_migrations (number, name, version) values ($1, 'later', '9.9.9')", known + 1);
    const says = new RegExp(
      `at schema step ${known + 1} \\(of Notevault 9\\.9\\.9\\), but this version knows only ${known} \\(`,
    );
    assertFails(await cli(['backup', folder.at('of-newer')], { env: { NOTEVAULT_DATA_DIR: data } }), says);
  });

  it('notevault backup says what is wrong with a place that is no backup, or that cannot be written', async () => {
    assertFails(await cli(['verify', folder.at('no-such')], { env }), /There is no backup at/);
    mkdirSync(folder.at('empty'));
    assertFails(await cli(['verify', folder.at('empty')], { env }), /There is no backup in/);
    writeFileSync(folder.at('some.txt'), 'no tar file'.repeat(100));
    assertFails(await cli(['verify', folder.at('some.txt')], { env }), /is no tar file/);
    mkdirSync(folder.at('other-data'));
    writeFileSync(folder.at('other-data', 'thesis.txt'), 'precious');
    const there = { NOTEVAULT_DATA_DIR: folder.at('other-data'), NOTEVAULT_MASTER_KEY: key };
    assertFails(await cli(['restore', backups], { env: there }), /is not empty/);
    assert.deepEqual(readdirSync(folder.at('other-data')).sort(), ['lock.sqlite', 'thesis.txt']);
    if (process.getuid?.() === 0) return;
    mkdirSync(folder.at('read-only'));
    chmodSync(folder.at('read-only'), 0o500);
    assertFails(await cli(['backup', folder.at('read-only')], { env }), /no permission|cannot be written/);
  });
});
