import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../kit/engines.ts';
import { startNotes } from '../../kit/notes.ts';

onSqlite('yes and no in queries', (open) => {
  test('yes and no in queries are true, false, 1 and 0; another word is refused', async () => {
    await using notes = await startNotes({ open });
    const { alice, server } = notes;
    const { id } = await alice.write('folder/a.md', 'text');
    const queries: Readonly<Record<string, string>> = {
      recursive: '/folders/none',
      raw: '/attachments/none.png',
      context: `/notes/by-id/${id}/backlinks`,
    };
    for (const [name, path] of Object.entries(queries)) {
      const method = name === 'recursive' ? 'DELETE' : 'GET';
      const asked = (value: string) => server.alice.call(method, `${path}?${name}=${value}`, undefined, {});
      for (const value of ['True', 'yes', 'on', '', '01', 'true%20', `1&${name}=1`]) {
        const { status, body } = await asked(value);
        assert.deepEqual([status, Object.keys(body.errors)], [422, [name]], `${name}=${value}`);
      }
      for (const value of ['true', 'false', '1', '0']) assert.notEqual((await asked(value)).status, 422);
    }
    // These two are texts, of which clients send any.
    assert.equal((await server.alice.get('/vaults?deleted=True')).status, 200);
    assert.equal((await server.alice.get('/sync/manifest?since_seq=True')).status, 200);
  });
});
