import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { type Json, startNotes } from '../../../../test/kit/notes.ts';
import type { Answer } from '../../../../test/kit/person.ts';
import type { Database, ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import { listSizes } from '../../../ports/database/statement.ts';

/** The statements that a write and a read may take (of the note itself; who calls, and into which vault, comes on top). */
const WRITE_MAX = 12;
const READ_MAX = 3;
/**
 * Finding the credential's session, the vault that the request means, and what of it was typed over sockets and waits.
 * A process alone with its database is spared the last.
 */
const ADMISSION = 3;

/** A database that counts the statements it is given; a list counts as often as it is cut. */
function counting(db: Database): { readonly db: Database; taken(): number } {
  let count = 0;
  const ran = <T>(statements: number, result: T): T => {
    count += statements;
    return result;
  };
  const reads = (handle: ReadHandle): ReadHandle => ({
    get: (statement, params) => ran(1, handle.get(statement, params)),
    all: (statement, params) => ran(1, handle.all(statement, params)),
    allMany: (statement, params, items) =>
      ran(listSizes(items.length).length, handle.allMany(statement, params, items)),
  });
  const writes = (handle: WriteHandle): WriteHandle => ({
    ...reads(handle),
    run: (statement, params) => ran(1, handle.run(statement, params)),
    runMany: (statement, params, items) =>
      ran(listSizes(items.length).length, handle.runMany(statement, params, items)),
    onCommit: (effect) => handle.onCommit(effect),
  });
  const counted: Database = {
    ...reads(db),
    engine: db.engine,
    read: (body) => db.read((handle) => body(reads(handle))),
    transact: (body) => db.transact((handle) => body(writes(handle))),
    migrate: (migrations) => db.migrate(migrations),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
  return {
    db: counted,
    taken() {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}

onEachEngine('statements', (open) => {
  test(`an upsert takes at most ${WRITE_MAX}, a read at most ${READ_MAX}, of a note with links in a folder`, async (t) => {
    const counter = counting(await open());
    await using notes = await startNotes({ open: async () => counter.db });
    const { alice } = notes;
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) await alice.write(`Folder/${name}.md`);
    const links = '[[one]] [[two|x]] [[three#y]] [four](four.md) ![[five]] [[six]] [[Nowhere]]';
    const aliased = '---\naliases: [Other, Name]\n---\n';
    const device = { 'x-device-id': 'laptop' };
    const table: [what: string, max: number, work: () => Promise<Answer | Json>][] = [
      ['new', WRITE_MAX, () => alice.write('Folder/note.md', `${links}\n`)],
      ['edit, same links', WRITE_MAX, () => alice.write('Folder/note.md', `more ${links}\n`)],
      ['edit, other links', WRITE_MAX, () => alice.write('Folder/note.md', `${links} [[seven]] [[eight]]\n`)],
      ['merge', WRITE_MAX, () => alice.write('Folder/note.md', `${links}\nmerged\n`, { version: 1 })],
      ['base_hash', WRITE_MAX, () => alice.put('Folder/note.md', { base_hash: 'x' })],
      ['no-op', WRITE_MAX, () => alice.write('Folder/seven.md')],
      [
        'new, from a device, with its id',
        WRITE_MAX,
        () => alice.write('Folder/b.md', links, { id: crypto.randomUUID() }, device),
      ],
      [
        'new, with aliases, from a device, with its id',
        WRITE_MAX,
        () => alice.write('Folder/c.md', `${aliased}${links}`, { id: crypto.randomUUID() }, device),
      ],
      ['edit that takes aliases away', WRITE_MAX, () => alice.write('Folder/c.md', links)],
      ['delete', WRITE_MAX, () => alice.remove('Folder/b.md')],
      ['read', READ_MAX, () => alice.read('Folder/note.md')],
    ];
    const { id } = await alice.write('Folder/d.md');
    table.push(['read by id', READ_MAX, () => alice.caller.get(`/notes/by-id/${id}`)]);
    table.push(['backlinks', READ_MAX, () => alice.caller.get(`/notes/by-id/${id}/backlinks`)]);
    for (const [what, max, work] of table) {
      counter.taken();
      const { status } = await work();
      const taken = counter.taken() - ADMISSION;
      if (status !== undefined) assert.equal(status, what === 'base_hash' ? 409 : 200, what);
      t.diagnostic(`${what}: ${taken}`);
      assert.ok(taken <= max, `${what}: ${taken} statements, not ${max}`);
    }
  });

  test('what a write costs does not grow with the links of the note, up to 32', async () => {
    const counter = counting(await open());
    await using notes = await startNotes({ open: async () => counter.db });
    const { alice } = notes;
    const linked = (count: number) => Array.from({ length: count }, (_, at) => `[[n${at}]]`).join(' ');
    // The very first note of a vault takes a grant of seals from its key.
    await alice.write('first.md');
    const costs: number[] = [];
    for (const count of [1, 7, 31, 32]) {
      counter.taken();
      await alice.write(`many ${count}.md`, linked(count));
      costs.push(counter.taken());
    }
    assert.deepEqual(new Set(costs).size, 1, `${costs}`);
  });
});
