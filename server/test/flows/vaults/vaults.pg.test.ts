import { before } from 'node:test';
import { householdVault, writeVault } from '../../kit/content/test-vault.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { suiteFolder } from '../../kit/programs/process.ts';
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
    const folder = suiteFolder();
    before(() => writeVault(vault(), folder.path));
    describeVault(open, known, () => folder.path);
  }
});
