import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { freshSqlite } from '../kit/engines.ts';
import { startServer } from '../kit/server.ts';

const BYTES = 10 * MB - 100;
/** Lines of one paragraph, of HTML and of headings: those that take most memory to parse. */
const LINES = ['a\n', '\\\n', '<a>\n', '# a\n', '> a\n', '[a]: b\n'];

test('a server writes and overwrites texts of 10 MB of the kinds that take most memory', async () => {
  const { db, remove } = await freshSqlite();
  {
    await using server = await startServer({ open: async () => db });
    await server.alice.post('/vaults', { name: 'Memory' });
    for (const line of LINES) {
      for (const beginning of ['one\n', 'two\n']) {
        const content = beginning + line.repeat(BYTES / line.length);
        const { status } = await server.alice.post('/notes', { path: 'a.md', content, mtime: 1 });
        assert.equal(status, 200, JSON.stringify([beginning, line]));
      }
    }
  }
  await db[Symbol.asyncDispose]();
  await remove();
});
