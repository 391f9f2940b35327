import { it } from 'node:test';
import { onEachEngine } from '../../kit/engines.ts';
import { testVault } from '../../kit/test-vault.ts';
import { checkRenames } from './rename-all.ts';

onEachEngine('renaming every note of a vault and back', (open) => {
  it('leaves every note byte-identical and every edge as before', () => checkRenames(open, testVault('en').notes));
});
