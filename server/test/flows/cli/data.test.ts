import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { databaseFile } from '../../../src/data/data-folder.ts';
import { blobsFolder, keyFile } from '../../../src/open-ports.ts';
import { openRaw } from '../../kit/database/raw-sql.ts';
import { Caller } from '../../kit/person.ts';
import { freePort } from '../../kit/programs/free-port.ts';
import { assertFails, cli, Folder, ServeProcess, startServe } from '../../kit/programs/process.ts';

const folder = new Folder();
let folders = 0;
const dataDir = () => folder.at(`data-${folders++}`);
after(() => folder[Symbol.dispose]());

const PAGE_BYTES = 4096;

describe('notevault import', { concurrency: 2 }, () => {
  const vault = folder.at('A vault');
  mkdirSync(`${vault}/sub`, { recursive: true });
  mkdirSync(`${vault}/.obsidian`);
  writeFileSync(`${vault}/one.md`, '# One\n[[two]] [[nowhere]]\n');
  writeFileSync(`${vault}/sub/two.md`, '\ufeffTwo, with a byte order mark\r\n');
  writeFileSync(`${vault}/sub/three.md`, '---\na: [\n---\n');
  writeFileSync(`${vault}/notepad.md`, Buffer.from('\ufeff# Täglich\r\n', 'utf16le'));
  writeFileSync(`${vault}/latin.md`, Buffer.from([0x61, 0xe4, 0x62]));
  writeFileSync(`${vault}/picture.png`, 'no note');
  writeFileSync(`${vault}/sub/program.txt`, '#!/bin/sh\necho\n');
  writeFileSync(`${vault}/drawing.psd`, 'not taken');
  utimesSync(`${vault}/picture.png`, 1_234_567_890.5, 1_234_567_890.5);
  const FIRST = [
    ...['Vault "A vault": 4 notes (4 written, 0 unchanged)', '  links        2, 1 of them dangling'],
    ...['  degraded     1 with unusable frontmatter', '    sub/three.md'],
    ...[
      '  attachments  1 (1 uploaded, 0 unchanged)',
      '    .obsidian: hidden folder',
      '    latin.md: neither UTF-8 nor UTF-16',
    ],
    ...['drawing.psd', 'sub/program.txt'].map((file) => `    ${file}: the server does not allow this file type`),
  ];

  for (const how of ['stopped', 'running', '--url'] as const) {
    it(`copies a folder, and a second run changes nothing: server ${how}`, async () => {
      const env = { NOTEVAULT_DATA_DIR: dataDir() };
      const made = await cli(['admin', 'create-user', 'alice@example.org', '--password-stdin'], {
        env,
        input: 'long enough',
      });
      assert.equal(made.code, 0, made.stderr);
      await using server = how === 'stopped' ? null : await startServe({ env });
      const args = [
        'import',
        vault,
        ...(how === '--url' ? ['--url', server?.url ?? '', '--token', await signIn(server?.url ?? '')] : []),
      ];
      const elsewhere = how === '--url' ? { NOTEVAULT_DATA_DIR: folder.at('none') } : env;
      const first = await cli(args, { env: elsewhere });
      assert.equal(first.code, 0, first.stderr);
      for (const line of FIRST) assert.ok(first.stdout.includes(`${line}\n`), `${line}: ${first.stdout}`);
      const second = await cli(args, { env: elsewhere });
      const unchanged =
        'Vault "A vault": 4 notes (0 written, 4 unchanged)\n  attachments  1 (0 uploaded, 1 unchanged)\n';
      assert.ok(second.stdout.startsWith(unchanged), second.stdout);

      const exported = folder.at(`exported ${how.replace(/\W/g, '')}`);
      const out = await cli(['export', 'A vault', exported, ...args.slice(2)], { env: elsewhere });
      assert.equal(out.code, 0, out.stdout + out.stderr);
      for (const file of ['one.md', 'sub/two.md', 'sub/three.md', 'picture.png']) {
        assert.ok(readFileSync(`${exported}/${file}`).equals(readFileSync(`${vault}/${file}`)), file);
        const seconds = [exported, vault].map((root) => Math.floor(statSync(`${root}/${file}`).mtimeMs / 1000));
        assert.equal(seconds[0], seconds[1], file);
      }
      assert.deepEqual(readdirSync(exported).sort(), ['notepad.md', 'one.md', 'picture.png', 'sub']);
      assert.equal(readFileSync(`${exported}/notepad.md`, 'utf8'), '# Täglich\r\n');

      await using started = server === null ? await startServe({ env }) : null;
      const url = (server ?? started)?.url ?? '';
      const token = await signIn(url);
      const alice = new Caller(url, async () => ({ authorization: `Bearer ${token}` }));
      assert.equal((await alice.get('/notes/sub/two.md')).body.content, '\ufeffTwo, with a byte order mark\r\n');
      assert.equal((await alice.get('/vaults')).body.vaults.length, 1);
    });
  }

  it('and export refuse a folder without data, and create nothing there', async () => {
    const data = dataDir();
    for (const args of [
      ['import', vault],
      ['export', 'Notes', folder.at('copy')],
    ]) {
      assertFails(await cli([...args, '--data-dir', data]), /There is no data in /);
    }
    assert.ok(!existsSync(data));
  });

  it('fills a vault that export writes into a folder with files only with --overwrite', async () => {
    const env = { NOTEVAULT_DATA_DIR: dataDir() };
    const input = 'long enough';
    await cli(['admin', 'create-user', 'alice@example.org', '--password-stdin'], { env, input });
    await cli(['import', vault], { env });
    assertFails(
      await cli(['export', 'Another', folder.at('new')], { env }),
      /no vault named "Another"; there are "A vault"/,
    );
    const [target, elsewhere] = [folder.at('target'), folder.at('elsewhere')];
    mkdirSync(target);
    mkdirSync(elsewhere);
    writeFileSync(`${target}/one.md`, 'an older one');
    writeFileSync(`${target}/other.md`, 'stays');
    writeFileSync(`${elsewhere}/kept.png`, 'kept');
    symlinkSync(elsewhere, `${target}/sub`);
    symlinkSync(`${elsewhere}/kept.png`, `${target}/picture.png`);
    assertFails(await cli(['export', 'A vault', target], { env }), /is not empty.*--overwrite/);
    const over = await cli(['export', 'A vault', target, '--overwrite'], { env });
    assert.equal(over.code, 1);
    assert.match(over.stdout, /failed {7}2\n {4}sub\/three.md: sub exists already and is not a folder\n/);
    assert.deepEqual(readdirSync(elsewhere), ['kept.png']);
    assert.equal(readFileSync(`${elsewhere}/kept.png`, 'utf8'), 'kept');
    assert.ok(lstatSync(`${target}/picture.png`).isFile());
    assert.equal(readFileSync(`${target}/one.md`, 'utf8'), readFileSync(`${vault}/one.md`, 'utf8'));
    assert.equal(readFileSync(`${target}/other.md`, 'utf8'), 'stays');
  });

  it('names the missing account or token', async () => {
    const env = { NOTEVAULT_DATA_DIR: dataDir() };
    await using server = await startServe({ env });
    assertFails(await cli(['import', vault], { env }), /admin create-user/);
    assertFails(await cli(['import', vault, '--user', 'nobody@example.org'], { env }), /No account has this e-mail/);
    assertFails(await cli(['import', vault, '--url', server.url, '--token', 'x']), /answered 401.*access token/);
  });
});

describe('notevault doctor', { concurrency: 2 }, () => {
  const served = dataDir();
  before(async () => {
    await using server = await startServe({ env: { NOTEVAULT_DATA_DIR: served } });
    await server.stop();
  });

  it('finds nothing wrong with a new folder, a stopped server and a running server', async () => {
    const env = { NOTEVAULT_DATA_DIR: dataDir() };
    const fresh = await cli(['doctor'], { env });
    assert.equal(fresh.code, 0, fresh.stdout);
    await using server = await startServe({ env });
    const beside = await cli(['doctor'], { env });
    assert.deepEqual([beside.code, /a server runs on this data folder/.test(beside.stdout)], [0, true]);
    await server.stop();
    const stopped = await cli(['doctor'], { env });
    assert.equal(stopped.code, 0);
    assert.match(stopped.stdout, /ok {4}data keys: all 1 open\n/);
    assert.match(stopped.stdout, /ok {4}attachments: in .*blobs; written, read and deleted\n/);
    const inDatabase = await cli(['doctor', '--blobs', 'database'], { env });
    assert.match(inDatabase.stdout, /ok {4}attachments: in the database; written, read and deleted\n/);
    assert.doesNotMatch(stopped.stdout, /FAULT/);
  });

  it('learns from a running server how a request to its public address arrives', async () => {
    const port = String(await freePort());
    const [host, key] = [`127.0.0.1:${port}`, randomBytes(32).toString('base64')];
    const env = {
      NOTEVAULT_DATA_DIR: dataDir(),
      NOTEVAULT_PUBLIC_URL: `http://${host}`,
      NOTEVAULT_PORT: port,
      NOTEVAULT_MASTER_KEY: key,
    };
    await using _server = await startServe({ env });
    const beside = await cli(['doctor'], { env });
    assert.match(beside.stdout, new RegExp(`ok {4}host header: ${host}\\n`), beside.stdout);
    const { NOTEVAULT_MASTER_KEY: _key, ...withoutKey } = env;
    const unaware = await cli(['doctor'], { env: withoutKey });
    assert.match(unaware.stdout, /ok {4}master key: not known here/);
    assert.doesNotMatch(unaware.stdout, /host header|FAULT/);
    const foreign = await cli(['doctor'], {
      env: { ...env, NOTEVAULT_MASTER_KEY: randomBytes(32).toString('base64') },
    });
    assert.match(foreign.stdout, /FAULT proxy: .* leads to another server/);
  });

  it('declares data as restored from a backup, so that earlier cursors expire', async () => {
    const env = { NOTEVAULT_DATA_DIR: dataDir() };
    await cli(['admin', 'create-user', 'alice@example.org', '--password-stdin'], { env, input: 'long enough' });
    const changes = async (url: string, cursor: string) => {
      const alice = new Caller(url, async () => ({ authorization: `Bearer ${await signIn(url)}` }));
      await alice.post('/vaults', { name: 'Garden' });
      return alice.get(`/sync/changes?cursor=${cursor}`);
    };
    let cursor = '';
    {
      await using server = await startServe({ env });
      cursor = (await changes(server.url, '')).body.resume_cursor;
      assertFails(await cli(['doctor', '--restored'], { env }), /stop it first/);
      await server.stop();
    }
    const { code, stdout } = await cli(['doctor', '--restored'], { env });
    assert.deepEqual([code, /ok {4}restored: clients of 1 vault will/.test(stdout)], [0, true], stdout);
    await using server = await startServe({ env });
    const { status, body } = await changes(server.url, cursor);
    assert.deepEqual([status, body.error], [410, 'history_expired']);
  });

  const faults: [string, RegExp, (data: string) => void | Promise<void>][] = [
    [
      'a folder that others can look into',
      /FAULT data folder: every user .*chmod 700/,
      (data) => chmodSync(data, 0o755),
    ],
    ['a missing key', /FAULT master key: .*Put the key back/, (data) => rmSync(keyFile(data))],
    [
      'a damaged data key',
      /FAULT data keys: The data key of server .* cannot be opened/,
      (data) => spoil(data, 'update data_keys set wrapped = zeroblob(60)'),
    ],
    [
      'a folder for attachments that is none',
      /FAULT attachments: in .*blobs: .*ENOTDIR.*chown/,
      (data) => {
        rmSync(blobsFolder(data), { recursive: true });
        writeFileSync(blobsFolder(data), '');
      },
    ],
    [
      'a damaged page of the database',
      /FAULT stored pages: damaged: .*Then put a backup in its place/,
      (data) => overwritePage(data, 20),
    ],
    [
      'a damaged schema of the database',
      /FAULT stored pages: damaged: the database file is damaged\. Stop every/,
      (data) => overwritePage(data, 0),
    ],
    [
      'a schema of later',
      /FAULT database: .*newer/i,
      (data) => spoil(data, "insert into schema_migrations (number, name, version) values (999, 'later', '9.9.9')"),
    ],
  ];
  for (const [fault, says, make] of faults) {
    it(`reports ${fault}`, async () => {
      const data = copyOf(served);
      await make(data);
      const { code, stdout } = await cli(['doctor', '--data-dir', data]);
      assert.equal(code, 1);
      assert.match(stdout, says);
    });
  }

  for (const page of [0, 1]) {
    it(`reports a damaged page ${page}, for which serve says what to do instead of printing a stack`, async () => {
      const data = copyOf(served);
      overwritePage(data, page);
      await using server = new ServeProcess({ env: { NOTEVAULT_DATA_DIR: data } });
      await assert.rejects(server.listening());
      assertFails(await server.ended, /^notevault: the database file is damaged\. Stop every .*put a backup/);
    });
  }

  it('reports a newer schema, which serve refuses with an explanation', async () => {
    const data = copyOf(served);
    await spoil(data, "insert into schema_migrations (number, name, version) values (999, 'later', '9.9.9')");
    await using server = new ServeProcess({ env: { NOTEVAULT_DATA_DIR: data } });
    await assert.rejects(server.listening());
    assertFails(await server.ended, /newer/i);
  });
});

describe('notevault keys', () => {
  it('new creates a key with which serve starts', async () => {
    const made = await cli(['keys', 'new']);
    assert.match(made.stdout, /^[A-Za-z0-9+/]{43}=\n$/);
    const env = { NOTEVAULT_DATA_DIR: dataDir(), NOTEVAULT_MASTER_KEY: made.stdout.trim() };
    await using server = await startServe({ env });
    await server.stop();
    assert.ok(!readdirSync(env.NOTEVAULT_DATA_DIR).includes('master.key'));
    const status = await cli(['keys', 'status'], { env });
    assert.match(status.stdout, /^Master key from NOTEVAULT_MASTER_KEY\n {2}[0-9a-f]{16} {2}wraps 1 data key\n$/);
    assertFails(await cli(['keys', 'rotate'], { env }), /which only you can change/);
  });

  it('status and rotate refuse beside a running server', async () => {
    const env = { NOTEVAULT_DATA_DIR: dataDir() };
    await using server = await startServe({ env });
    for (const verb of ['status', 'rotate'])
      assertFails(await cli(['keys', verb], { env }), /Another notevault process/);
    await server.stop();
    assert.match((await cli(['keys', 'status'], { env })).stdout, /^Master key from .*master\.key\n/);
    assertFails(
      await cli(['keys', 'rotate', '--new-key-stdin'], { env, input: 'short' }),
      /must hold 32 bytes of base64/,
    );
  });
});

function copyOf(data: string): string {
  const copy = dataDir();
  cpSync(data, copy, { recursive: true });
  chmodSync(copy, 0o700);
  return copy;
}

async function signIn(url: string): Promise<string> {
  const answer = await new Caller(url).post('/auth/login', { email: 'alice@example.org', password: 'long enough' });
  return answer.body.access_token;
}

async function spoil(data: string, sql: string): Promise<void> {
  await using raw = await openRaw({ file: databaseFile(data) });
  await raw.run(sql);
}

/** Overwrites a page as a failing disk would, except for the header that identifies a database file. */
function overwritePage(data: string, page: number): void {
  const header = page === 0 ? 100 : 0;
  const file = openSync(databaseFile(data), 'r+');
  try {
    writeSync(file, Buffer.alloc(PAGE_BYTES - header, 0xa5), 0, PAGE_BYTES - header, page * PAGE_BYTES + header);
  } finally {
    closeSync(file);
  }
}
