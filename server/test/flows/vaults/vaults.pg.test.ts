import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { householdVault, writeVault } from '../../kit/content/test-vault.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { describeVault } from '../cli/vault-copies.ts';
import { fixture, household } from './vaults.known.ts';

const small = {
  name: fixture.name,
  notes: new Map(Object.entries(fixture.files)),
  attachments: new Map<string, Buffer>(),
};

onEachEngine('imported', (open) => {
  for (const [known, vault] of [
    [fixture, () => small],
    [household, householdVault],
  ] as const) {
    let folder = '';
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'notevault-test-'));
      await writeVault(vault(), folder);
    });
    after(() => rm(folder, { recursive: true, force: true }));
    describeVault(open, known, () => folder);
  }
});
