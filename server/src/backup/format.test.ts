import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BackupDamaged,
  BackupError,
  isBackupPath,
  type ManifestBody,
  readManifest,
  sha256,
  writeManifest,
} from './format.ts';

const HASH = sha256('some bytes');
const BODY: ManifestBody = {
  format: 1,
  taken_at: '2026-11-22T02:00:00.000Z',
  version: '0.2.0',
  engine: 'sqlite',
  schema: [{ number: 1, name: 'tree', version: '0.2.0' }],
  master_key_id: '0123456789abcdef',
  counts: { users: 1, vaults: 2, notes: 3, attachments: 4, versions: 5 },
  database: [{ name: 'notevault.sqlite', columns: null, pieces: [[HASH, 10]] }],
  blobs: { stored: 'apart', count: 0, bytes: 0, missing: [], lists: [] },
  key: null,
};
const hmac = (text: string) => Buffer.from(sha256(`a key ${text}`), 'hex');

test('readManifest returns what writeManifest wrote', () => {
  const { body, hmac: mac } = readManifest(writeManifest(BODY, hmac), 'manifest.json');
  assert.deepEqual(body, BODY);
  assert.equal(mac, hmac(JSON.stringify(BODY)).toString('hex'));
});

test('readManifest refuses a manifest with any byte changed, left out or added', () => {
  const text = writeManifest(BODY, hmac);
  for (let at = 0; at < text.length; at++) {
    const changed = String.fromCharCode(text.charCodeAt(at) ^ 1);
    for (const damaged of [text.slice(0, at) + changed + text.slice(at + 1), text.slice(0, at) + text.slice(at + 1)]) {
      const refused = (error: unknown) => error instanceof BackupDamaged || error instanceof BackupError;
      assert.throws(() => readManifest(damaged, 'manifest.json'), refused, `byte ${at}`);
    }
  }
  assert.throws(() => readManifest(`${text} `, 'manifest.json'), BackupDamaged);
});

test('readManifest names the newer format instead of calling it damage', () => {
  const newer = writeManifest({ ...BODY, format: 2 } as unknown as ManifestBody, hmac);
  assert.throws(() => readManifest(newer, 'manifest.json'), /newer version of Notevault \(backup format 2\)/);
});

test('isBackupPath accepts only names that a backup has', () => {
  for (const good of [
    '20261122T020000000Z/manifest.json',
    `database/${HASH.slice(0, 2)}/${HASH}`,
    `blobs/${HASH.slice(0, 2)}/${HASH}`,
  ]) {
    assert.ok(isBackupPath(good), good);
  }
  const [shard, other] = [HASH.slice(0, 2), HASH.startsWith('00') ? '01' : '00'];
  const bad = [
    ...['', 'manifest.json', '/etc/passwd', '../manifest.json', '20261122T020000000Z/../manifest.json'],
    ...[
      `database/${other}/${HASH}`,
      `blobs/${shard}/${HASH}/x`,
      `blobs/${shard}/../${HASH}`,
      `/blobs/${shard}/${HASH}`,
    ],
    ...[`blobs/${shard}/${HASH}\n`, `BLOBS/${shard}/${HASH}`, 'blobs', `blobs/${shard}`],
  ];
  for (const path of bad) assert.ok(!isBackupPath(path), path);
});
