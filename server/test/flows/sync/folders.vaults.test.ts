import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { sha256 } from '../../kit/content/files.ts';
import { realVaults } from '../../kit/content/real-vaults.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { Folder } from '../../kit/programs/process.ts';
import { startServer } from '../../kit/server.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';

/** Precision of stored times, which are in seconds with a fraction. */
const NS_PER_US = 1000n;

interface SeenFile {
  readonly path: string;
  readonly hash: string;
  readonly mtimeNs: bigint;
}

/** The visible files of a folder, by path. */
function filesOf(root: string): SeenFile[] {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)).sort();
  const visible = paths.filter((path) => !/(?:^|\/)\./.test(path));
  return visible.map((path) => {
    const at = join(root, path);
    return { path, hash: sha256(readFileSync(at)), mtimeNs: statSync(at, { bigint: true }).mtimeNs };
  });
}

/** Asserts that the files are alike, and their times to the microsecond. */
function assertAlike(found: readonly SeenFile[], expected: readonly SeenFile[]): void {
  const named = (files: readonly SeenFile[]) => files.map(({ path, hash }) => `${hash} ${path}`);
  assert.deepEqual(named(found), named(expected));
  for (const [index, { path, mtimeNs }] of found.entries()) {
    const off = mtimeNs - (expected[index]?.mtimeNs ?? 0n);
    assert.ok(off > -NS_PER_US && off < NS_PER_US, `the time of ${path} is off by ${off} ns`);
  }
}

onEachEngine('a first sync of a published vault', (open) => {
  for (const name of ['en', 'Sandbox']) {
    it(`brings ${name} up and down to the byte and with its times, and asks twice when nothing changed`, async (t) => {
      using folder = new Folder();
      await using server = await startServer({ open });
      const key = (await server.alice.post('/api-keys', { name: 'sync' })).body.key as string;
      const vaultId = (await server.alice.post('/vaults', { name })).body.vault.id as string;
      const machine = (home: string) => new SyncMachine({ home: folder.at(home), url: server.url, key, vaultId });
      const [desk, lap] = [machine('desk'), machine('lap')];
      cpSync(join(realVaults(), name), desk.root, { recursive: true, preserveTimestamps: true });
      const { unsynced } = await desk.run();
      const refused = new Set(unsynced.map(({ path }) => path));
      const up = desk.requests.length;
      await lap.sync();
      const sent = filesOf(desk.root).filter(({ path }) => !refused.has(path));
      assert.ok(sent.length > 20);
      assertAlike(filesOf(lap.root), sent);
      t.diagnostic(`${sent.length} files: ${up} requests up, ${lap.requests.length} down; refused: ${refused.size}`);
      for (const one of [desk, lap]) {
        assert.equal((await one.run()).done, 0);
        assert.equal(one.requests.length, 1);
      }
    });
  }
});
