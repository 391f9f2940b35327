import { test } from 'node:test';
import { realNotes } from '../../kit/content/real-vaults.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { checkGolden } from './golden.ts';

onEachEngine('golden queries over vaults of others', (open) => {
  test('rank the note that a reader means first, or among the first', async (t) => {
    await checkGolden(t, open, {
      queries: new URL('../../golden/queries.json', import.meta.url),
      notesOf: realNotes,
      least: { keyword: 67, hybrid: 67 },
    });
  });
});
