import { it } from 'node:test';
import { realNotes } from '../../kit/content/real-vaults.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { checkRenames } from './rename-all.ts';

onEachEngine('renaming every note of a vault of others and back', (open) => {
  it('leaves every note byte-identical and every edge as before', () => checkRenames(open, realNotes('en')));
});
