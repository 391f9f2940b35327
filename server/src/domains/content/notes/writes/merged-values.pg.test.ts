import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';

/** Writes a base, then two texts that edit it, one after the other; returns the answer to the later one. */
async function bothWrite(alice: Writer, path: string, [base, first, later]: readonly [string, string, string]) {
  const { version } = await alice.write(path, base);
  await alice.write(path, first, { version });
  const { status, body } = await alice.put(path, { content: later, mtime: 3, version });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

onEachEngine('POST /notes of two writers of one value', (open) => {
  const start = notesOnOneServer(open);

  test('[6.8] words that both changed stand whole, the stored one first', async () => {
    await using notes = await start();
    const cases = [
      ['count: 7 of them', 'count: 8 of them', 'count: 9 of them', 'count: 8 9 of them'],
      ['due 2026-11-28 then', 'due 2026-12-01 then', 'due 2026-11-29 then', 'due 2026-12-01 2026-11-29 then'],
      ['it is todo now', 'it is doing now', 'it is done now', 'it is doing done now'],
      ['he talks fast', 'he walks fast', 'he leaks fast', 'he walks leaks fast'],
    ] as const;
    for (const [index, [base, first, later, expected]] of cases.entries()) {
      const { note, merged } = await bothWrite(notes.alice, `${index}.md`, [base, first, later]);
      assert.deepEqual([note.content, merged], [expected, undefined]);
    }
  });

  test('of two values of a property, a link or a box the later one stands, and the answer names the other', async () => {
    const { alice } = await start();
    const text = (count: number, box: string, target: string) =>
      `---\ncount: ${count}\n---\n- [${box}] tidy\n\nsee [[${target}|it]]\n`;
    const { note, merged } = await bothWrite(alice, 'a.md', [text(7, ' ', 'x'), text(8, '/', 'y'), text(9, 'x', 'z')]);
    assert.equal(note.content, text(9, 'x', 'z'));
    assert.deepEqual(merged, [
      { property: 'count', stored: '8' },
      { line: 4, stored: '/' },
      { line: 6, stored: 'y' },
    ]);
    const { body } = await alice.caller.get(`/notes/by-id/${note.id}/versions/2`);
    assert.equal(body.content, text(8, '/', 'y'), 'a version keeps what gave way');
  });

  test('a batch names for each note the values that gave way', async () => {
    const { alice } = await start();
    const text = (count: number) => `---\ncount: ${count}\n---\n`;
    const { version } = await alice.write('a.md', text(7));
    await alice.write('a.md', text(8), { version });
    const sent = [{ path: 'a.md', content: text(9), mtime: 3, version }];
    const { body } = await alice.caller.post('/notes/batch', { notes: sent }, { 'x-idempotency-key': 'values' });
    assert.deepEqual(body.results[0].merged, [{ property: 'count', stored: '8' }]);
  });

  test('a link target that the server rewrote stands', async () => {
    const { alice } = await start();
    await alice.write('Old.md', '# Old');
    const { version } = await alice.write('a.md', '---\nup: "[[Old]]"\n---\nsee [[Old]]\n');
    const renamed = await alice.caller.post('/notes/rename', { old_path: 'Old.md', new_path: 'New.md' });
    assert.equal(renamed.status, 200);
    const { body } = await alice.put('a.md', {
      content: '---\nup: "[[Other]]"\n---\nsee [[Other]] too\n',
      mtime: 3,
      version,
    });
    assert.deepEqual([body.note.content, body.merged], ['---\nup: "[[New]]"\n---\nsee [[New]] too\n', undefined]);
  });

  test('a list is merged item by item, and no key stands twice', async () => {
    await using notes = await start();
    const head = (yaml: string) => `---\n${yaml}---\ntext\n`;
    const { note } = await bothWrite(notes.alice, 'a.md', [
      head('tags: [a, b]\n'),
      head('tags: [a, c]\nstatus: open\n'),
      head('tags: [a, b, d]\nstatus: done\n'),
    ]);
    assert.equal(note.content, head('tags: [a, d, c]\nstatus: done\n'));
  });

  test('a word that a write put beside another goes on in the next text on the same base', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'it is todo now');
    for (const text of ['it is doing now', 'it is wait now', 'it is waiting now', 'it is waiting for it now']) {
      await alice.write('a.md', text, { version: 1 });
    }
    assert.equal((await alice.read('a.md')).body.content, 'it is doing waiting for it now');
  });
});
