import { it } from 'node:test';
import { testVault } from '../../kit/content/test-vault.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { checkRenames } from './rename-all.ts';

onEachEngine('renaming every note of a vault and back', (open) => {
  it('renaming every note of a vault and back leaves every note byte-identical and every edge as before', () =>
    checkRenames(open, testVault('en').notes));
});
