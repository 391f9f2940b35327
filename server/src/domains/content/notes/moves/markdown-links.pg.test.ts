import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';

const key = () => ({ 'x-idempotency-key': crypto.randomUUID() });
const rename = (alice: Writer, from: string, to: string) =>
  alice.caller.post('/notes/rename', { old_path: from, new_path: to });

onEachEngine('a markdown link to a moved note', (open) => {
  const start = notesOnOneServer(open);

  const forms: readonly (readonly [string, string])[] = [
    ['[x](b.md)', '[x](archive/c.md)'],
    ['[x](b)', '[x](archive/c)'],
    ['[x](./b.md)', '[x](./archive/c.md)'],
    ['[x](/b.md)', '[x](/archive/c.md)'],
    ['[x](b.md#head)', '[x](archive/c.md#head)'],
    ['[x](<b.md>)', '[x](<archive/c.md>)'],
    ['[x](b.md "title")', '[x](archive/c.md "title")'],
    ['![x](b.md)', '![x](archive/c.md)'],
    ['<img src="b.md">', '<img src="archive/c.md">'],
    ['[x][r]\n\n[r]: b.md', '[x][r]\n\n[r]: archive/c.md'],
    ['[[b]]', '[[c]]'],
  ];

  test('is rewritten in every form when the note moves to another folder', async () => {
    const { alice } = await start();
    await alice.write('b.md');
    for (const [index, [link]] of forms.entries()) await alice.write(`s${index}.md`, link);
    await rename(alice, 'b.md', 'archive/c.md');
    const now = await Promise.all(forms.map(async (_, index) => (await alice.read(`s${index}.md`)).body.content));
    assert.deepEqual(
      now,
      forms.map(([, to]) => to),
    );
  });

  test('is rewritten when the note keeps its name in another folder', async () => {
    const { alice } = await start();
    await alice.write('b.md');
    const texts = ['[x](b.md)', '[x](./b.md)', '[x](b)', '[[b]]', '[x](<b.md>)'];
    for (const [index, link] of texts.entries()) await alice.write(`s${index}.md`, link);
    await alice.write('deep/s.md', '[x](../b.md)');
    await rename(alice, 'b.md', 'archive/b.md');
    const now = await Promise.all(texts.map(async (_, index) => (await alice.read(`s${index}.md`)).body.content));
    assert.deepEqual(now, [
      '[x](archive/b.md)',
      '[x](./archive/b.md)',
      '[x](archive/b)',
      '[[b]]',
      '[x](<archive/b.md>)',
    ]);
    assert.equal((await alice.read('deep/s.md')).body.content, '[x](../archive/b.md)');
  });

  test('keeps leading to the note when its source moves, both move, or their folder does', async () => {
    const { alice } = await start();
    const made = new Map<string, string>();
    for (const path of ['t.md', 'f/t2.md', 'g/t3.md']) made.set(path, (await alice.write(path)).id);
    const text = '[1](../t.md) [2](t2.md) [3](../g/t3.md)';
    made.set('f/s.md', (await alice.write('f/s.md', text)).id);
    const read = async (path: string) => (await alice.read(path)).body.content;
    await rename(alice, 'f/s.md', 's.md');
    assert.equal(await read('s.md'), '[1](./t.md) [2](t2.md) [3](./g/t3.md)');
    const ids = [made.get('f/s.md'), made.get('g/t3.md')];
    await alice.caller.post('/notes/batch-move', { ids, target_folder: 'h/i' }, key());
    assert.equal(await read('h/i/s.md'), '[1](../../t.md) [2](t2.md) [3](./t3.md)');
    await alice.caller.post('/folders/rename', { old_path: 'h', new_path: 'j/k' });
    assert.equal(await read('j/k/i/s.md'), '[1](../../../t.md) [2](t2.md) [3](./t3.md)');
    await alice.caller.post('/folders/rename', { old_path: 'f', new_path: 'l' });
    assert.equal(await read('j/k/i/s.md'), '[1](../../../t.md) [2](t2.md) [3](./t3.md)');
    assert.deepEqual(
      (await alice.edges('j/k/i/s.md')).map((edge) => edge.split(' → ')[1]),
      ['t.md', 'l/t2.md', 'j/k/i/t3.md'],
    );
  });
});
