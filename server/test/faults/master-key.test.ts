import assert from 'node:assert/strict';
import { chmodSync, cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { databaseFile } from '../../src/data/data-folder.ts';
import { keyFile, nextKeyFile } from '../../src/open-ports.ts';
import type { KeyOwner } from '../../src/ports/keyring/keyring.ts';
import { MasterKeyring } from '../../src/ports/keyring/master-key.ts';
import { testClock } from '../kit/clock.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { Caller } from '../kit/person.ts';
import { cli, type Ended, type Environment, Folder, ServeProcess, startServe } from '../kit/programs/process.ts';
import { registerAt } from '../kit/setup-tokens.ts';

const { random } = testClock();
const folder = new Folder();
const original = folder.at('original');
let token = '';

before(async () => {
  const server = await startServe({ env: { NOTEVAULT_DATA_DIR: original } });
  const signed = await registerAt(server.url, {
    email: 'alice@example.org',
    password: 'long enough',
  });
  token = signed.body.access_token;
  const alice = as(server.url);
  for (const name of ['one', 'two', 'three']) {
    const made = await alice.post('/vaults', { name });
    const written = await alice.post(
      '/notes',
      { path: 'note.md', content: `of ${name}`, mtime: 1 },
      { 'x-vault-id': made.body.vault.id },
    );
    assert.equal(written.status, 200);
  }
  assert.equal((await server.stop()).code, 0);
});
after(() => folder[Symbol.dispose]());

describe('serve with an unusable master key', () => {
  const other = random(32).toString('base64');
  const cases: [string, RegExp, (data: string) => Environment | undefined][] = [
    [
      'when the key of the environment is another',
      /sealed under master key .* NOTEVAULT_MASTER_KEY holds/,
      () => ({ NOTEVAULT_MASTER_KEY: other }),
    ],
    [
      'when the key file holds another key',
      /sealed under master key .*, but .*master\.key holds/,
      (data) => replace(keyFile(data), `${other}\n`),
    ],
    ['when the key file is gone', /Put the key back from its backup/, (data) => void rmSync(keyFile(data))],
    ['when others can read the key file', /run "chmod 600 /, (data) => void chmodSync(keyFile(data), 0o644)],
    ['when the key file is cut off', /must hold 32 bytes of base64/, (data) => replace(keyFile(data), 'c2hvcnQ=\n')],
    ['when the key file is empty', /must hold 32 bytes of base64/, (data) => replace(keyFile(data), '')],
  ];
  for (const [when, sentence, spoil] of cases) {
    it(`notevault serve with an unusable master key refuses to start ${when}`, async () => {
      const data = copy();
      const env = spoil(data) ?? {};
      const keys = keysIn(data);
      assertRefused(await refused(data, env), sentence);
      assert.deepEqual(keysIn(data), keys);
    });
  }

  it('notevault serve with an unusable master key leaves the data intact for the right key', async () => {
    const data = copy();
    assertRefused(await refused(data, { NOTEVAULT_MASTER_KEY: other }), /sealed under master key/);
    await assertReads(data);
  });
});

describe('rotating the master key', () => {
  it('seals everything under a new key and keeps the old one', async () => {
    const data = copy();
    const before = readFileSync(keyFile(data), 'utf8');
    await assertRotates(data);
    const kept = readdirSync(data).filter((name) => name.startsWith('master.key.old-'));
    assert.deepEqual(
      kept.map((name) => readFileSync(`${data}/${name}`, 'utf8')),
      [before],
    );
    await assertReads(data);
    writeFileSync(keyFile(data), before);
    assertRefused(await refused(data), /sealed under master key/);
  });

  it('leaves a server that starts when interrupted before the first data key, and completes when rerun', async () => {
    const data = copy();
    writeFileSync(nextKeyFile(data), `${random(32).toString('base64')}\n`, { mode: 0o600 });
    await assertReads(data);
    await assertRotates(data);
    await assertReads(data);
  });

  for (const [when, share] of [
    ['half way', 0.5],
    ['before the new key took its place', 1],
  ] as const) {
    it(`is reported at start when interrupted ${when}, and finished by running it again`, async () => {
      const data = copy();
      await rewrapByHand(data, share);
      const keys = keysIn(data);
      assertRefused(await refused(data), /A key rotation was interrupted.*Run "notevault keys rotate" again/);
      assert.deepEqual(keysIn(data), keys);
      await assertRotates(data);
      await assertReads(data);
    });
  }

  it('is finished by running it again when interrupted after the old key was stored', async () => {
    const data = copy();
    const from = await rewrapByHand(data, 1);
    cpSync(keyFile(data), `${keyFile(data)}.old-${from}`);
    assertRefused(await refused(data), /A key rotation was interrupted/);
    await assertRotates(data);
    await assertReads(data);
  });

  it('rotating the master key to a given key is complete once that key is configured', async () => {
    const data = copy();
    const given = random(32).toString('base64');
    const rotated = await cli(['keys', 'rotate', '--new-key-stdin', '--data-dir', data], { input: given });
    assert.equal(rotated.code, 0, rotated.stderr);
    assertRefused(await refused(data), /sealed under master key/);
    await assertReads(data, { NOTEVAULT_MASTER_KEY: given });
    renameSync(keyFile(data), `${keyFile(data)}.before`);
    await assertReads(data, { NOTEVAULT_MASTER_KEY: given });
  });
});

let copies = 0;
function copy(): string {
  const data = folder.at(`copy-${copies++}`);
  cpSync(original, data, { recursive: true, preserveTimestamps: true });
  return data;
}

function replace(file: string, text: string): undefined {
  writeFileSync(file, text);
}

const as = (url: string) => new Caller(url, async () => ({ authorization: `Bearer ${token}` }));
const keysIn = (data: string) =>
  readdirSync(data)
    .filter((name) => name.startsWith('master.key'))
    .map((name) => [name, readFileSync(`${data}/${name}`, 'utf8')]);

async function refused(data: string, env: Environment = {}): Promise<Ended> {
  await using server = new ServeProcess({ env: { ...env, NOTEVAULT_DATA_DIR: data } });
  await assert.rejects(server.listening());
  return server.ended;
}

function assertRefused({ code, stderr }: Ended, sentence: RegExp): void {
  assert.equal(code, 1, stderr);
  assert.match(stderr, sentence);
  assert.doesNotMatch(stderr, /\n\s+at /, 'a sentence, not a stack');
}

async function assertRotates(data: string): Promise<void> {
  const { code, stdout, stderr } = await cli(['keys', 'rotate', '--data-dir', data]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /data keys are now encrypted with master key/);
}

/** Checks that every vault's name and note can be read. */
async function assertReads(data: string, env: Environment = {}): Promise<void> {
  await using server = await startServe({ env: { ...env, NOTEVAULT_DATA_DIR: data } });
  const alice = as(server.url);
  const { vaults } = (await alice.get('/vaults')).body as { vaults: { id: string; name: string }[] };
  assert.deepEqual(
    vaults.map(({ name }) => name),
    ['one', 'two', 'three'],
  );
  for (const { id, name } of vaults) {
    const note = await alice.get('/notes/note.md', { 'x-vault-id': id });
    assert.equal(note.body.content, `of ${name}`);
  }
  assert.equal((await server.stop()).code, 0);
}

/** Imitates an interrupted rotation: the next key in its file, and a share of the data keys sealed under it. */
async function rewrapByHand(data: string, share: number): Promise<string> {
  const next = random(32);
  writeFileSync(nextKeyFile(data), `${next.toString('base64')}\n`, { mode: 0o600 });
  const from = new MasterKeyring(Buffer.from(readFileSync(keyFile(data), 'utf8'), 'base64'), random);
  const to = new MasterKeyring(next, random);
  await using raw = await openRaw({ file: databaseFile(data) });
  const rows = await raw.all('select * from data_keys order by owner_id');
  for (const row of rows.slice(0, Math.ceil(rows.length * share))) {
    const owner = { kind: row.owner_kind, id: row.owner_id } as KeyOwner;
    const wrapped = { masterKeyId: from.masterKeyId, bytes: row.wrapped as Buffer };
    const { masterKeyId, bytes } = from.rewrap(owner, wrapped, to);
    await raw.run(
      'update data_keys set master_key_id = $1, wrapped = $2 where owner_id = $3',
      masterKeyId,
      bytes,
      owner.id,
    );
  }
  return from.masterKeyId;
}
