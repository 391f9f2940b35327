import { test } from 'node:test';
import { handWritten, type Language } from '../../kit/content/test-vault.ts';
import { onSqlite } from '../../kit/engines.ts';
import { checkGolden } from './golden.ts';

onSqlite('golden queries', (open) => {
  test('rank the note that a reader means first, or among the first, in nine languages', async (t) => {
    await checkGolden(t, open, {
      queries: new URL('../../vault/queries.json', import.meta.url),
      notesOf: (vault) => handWritten(vault as Language),
      least: { keyword: 146, hybrid: 146 },
    });
  });
});
