import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DanglingLink } from '@notevault/protocol/links.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { notesOnOneServer } from '../../../../test/kit/notes.ts';

onEachEngine('GET /vault/dangling', (open) => {
  const start = notesOnOneServer(open);

  test('lists the links without a target with their lines, and notes of similar names', async () => {
    const { alice } = await start();
    await alice.write('Beds/Compost.md', 'x\n');
    const { id } = await alice.write('a.md', '# A\n\n[[Composts]] and [[Beds/Compost]]\n![[gone.png]] [[#here]]\n');
    const { body } = await alice.caller.get('/vault/dangling');
    assert.deepEqual(body, {
      links: [
        { note_id: id, path: 'a.md', line: 3, target: 'Composts', near: ['Beds/Compost.md'] },
        { note_id: id, path: 'a.md', line: 4, target: 'gone.png', near: [] },
      ],
      next_cursor: null,
    });
    await alice.write('Composts.md', 'x\n');
    const { body: later } = await alice.caller.get('/vault/dangling');
    assert.deepEqual(
      later.links.map(({ target }: DanglingLink) => target),
      ['gone.png'],
    );
  });

  test('lists every link once over its pages, and refuses a cursor that is none', async () => {
    const { alice } = await start();
    const links = (first: number) => Array.from({ length: 60 }, (_, at) => `[[None ${first + at}]]`).join('\n');
    await alice.write('a.md', links(0));
    await alice.write('b.md', links(60));
    const found: string[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const { body } = await alice.caller.get(`/vault/dangling${query}`);
      found.push(...body.links.map(({ target }: DanglingLink) => target));
      cursor = body.next_cursor;
    }
    assert.equal(pages, 3);
    assert.equal(new Set(found).size, 120);
    assert.equal(found.length, 120);
    for (const cursor of ['x', '0.1', `${'z'.repeat(36)}.1`]) {
      const { status, body } = await alice.caller.get(`/vault/dangling?cursor=${cursor}`);
      assert.deepEqual([status, body.error], [400, 'invalid_cursor']);
    }
  });
});
