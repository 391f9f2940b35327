import { test } from 'node:test';
import { onEachEngine } from '../../kit/engines.ts';
import { realNotes } from '../../kit/real-vaults.ts';
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
