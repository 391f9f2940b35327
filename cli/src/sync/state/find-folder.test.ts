import assert from 'node:assert/strict';
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { FolderGone } from '@notevault/sync/engine/ports.ts';
import { Folder } from '../../../../server/test/kit/programs/process.ts';
import { findFolder, requireFolder } from './find-folder.ts';
import { newFolderId, writeMarker } from './folder-marker.ts';
import { type FolderRecord, FolderRegistry } from './folder-registry.ts';

async function synced(folder: Folder, name: string) {
  const root = folder.at(name);
  mkdirSync(root);
  const registry = new FolderRegistry(folder.at('state'));
  const record: FolderRecord = {
    folderId: newFolderId(),
    root,
    url: 'https://notes.example.org',
    vaultId: 'v1',
    vaultName: 'Garden',
    settings: [],
    isPaused: false,
  };
  await writeMarker(root, record);
  await registry.save(record);
  return { root, registry, record };
}

it('findFolder knows a synced folder again, also after it was moved', async () => {
  using folder = new Folder();
  const { root, registry, record } = await synced(folder, 'a');
  assert.deepEqual(await findFolder(registry, root), { kind: 'known', record });
  renameSync(root, folder.at('b'));
  const moved = { ...record, root: folder.at('b') };
  assert.deepEqual(await findFolder(registry, folder.at('b')), { kind: 'known', record: moved });
  assert.deepEqual(await registry.all(), [moved]);
});

it('findFolder takes a copy for a folder of its own, of the same vault', async () => {
  using folder = new Folder();
  const { root, registry, record } = await synced(folder, 'a');
  cpSync(root, folder.at('copy'), { recursive: true });
  assert.deepEqual(await findFolder(registry, folder.at('copy')), { kind: 'copied', vaultId: 'v1' });
  assert.deepEqual(await findFolder(registry, root), { kind: 'known', record });
  rmSync(folder.at('state'), { recursive: true });
  assert.deepEqual(await findFolder(registry, root), { kind: 'copied', vaultId: 'v1' }, 'its state was lost');
});

it('findFolder stops at a folder that lost its marker or has that of another', async () => {
  using folder = new Folder();
  const { root, registry } = await synced(folder, 'a');
  rmSync(`${root}/.notevault`, { recursive: true });
  await assert.rejects(findFolder(registry, root), FolderGone);
  await writeMarker(root, { folderId: newFolderId(), vaultId: 'v1' });
  await assert.rejects(findFolder(registry, root), FolderGone);
  writeFileSync(`${root}/.notevault/folder.json`, '{"folder_id": 1}');
  await assert.rejects(findFolder(registry, root), /does not say which folder this is/);
});

it('findFolder refuses folders that lie in one another', async () => {
  using folder = new Folder();
  const { root, registry } = await synced(folder, 'a');
  mkdirSync(`${root}/inside`);
  await assert.rejects(findFolder(registry, `${root}/inside`), /lie in one another/);
  await assert.rejects(findFolder(registry, folder.path), /lie in one another/);
});

it('requireFolder resolves links, and refuses the home and state folders and what contains them', async () => {
  using folder = new Folder();
  for (const name of ['notes', 'state']) mkdirSync(folder.at(name));
  symlinkSync(folder.at('notes'), folder.at('link'));
  assert.equal(await requireFolder(folder.at('link'), folder.at('state')), folder.at('notes'));
  for (const dir of ['state', '.'])
    await assert.rejects(requireFolder(folder.at(dir), folder.at('state')), /must be apart/);
  for (const dir of ['/', homedir(), join(homedir(), '..'), `${homedir()}/.`])
    await assert.rejects(requireFolder(dir, folder.at('state')), /is not synced as a whole/);
  writeFileSync(folder.at('file'), '');
  await assert.rejects(requireFolder(folder.at('file'), folder.at('state')), /is not a folder/);
});
