import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { assertFails, cli, Folder, startServe } from '../../kit/programs/process.ts';

test('notevault activity lists what was done, and undo takes it back, with the server stopped and running', async () => {
  using folder = new Folder();
  const env = { NOTEVAULT_DATA_DIR: folder.at('data') };
  const notes = folder.at('Notes');
  mkdirSync(notes, { recursive: true });
  writeFileSync(`${notes}/a.md`, 'one \u001b[31mred\n');
  writeFileSync(`${notes}/b.md`, 'two\n');
  const made = await cli(['admin', 'create-user', 'alice@example.org', '--password-stdin'], {
    ...{ env, input: 'long enough\n' },
  });
  assert.equal(made.code, 0, made.stderr);
  assert.equal((await cli(['import', notes, '--vault', 'Notes'], { env })).code, 0);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(args, { env });
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    return stdout;
  };
  const idsOf = (listed: string) => [...listed.matchAll(/^([0-9a-f-]{36}) {2}/gm)].map(([, id]) => id ?? '');

  const listed = await run('activity', '--diffs');
  assert.match(listed, /write, 2 changes\n/);
  assert.match(listed, / {4}create a\.md\n {6}\+ one .\[31mred/);
  assert.ok(!listed.includes('\u001b'), 'a note cannot steer the terminal');
  const [item = ''] = idsOf(listed);
  const preview = await run('undo', item, '--dry-run');
  assert.match(preview, /^delete .*\n.*\nWould undo: 2 entries\.\n$/);
  assert.match(await run('undo', item), /^Undone: 2 entries\.\n$/);
  assert.match(await run('activity'), new RegExp(`undo, 2 changes\n[^]*${item} .*, undone\n`));

  await using _server = await startServe({ env });
  const [undo = '', again] = idsOf(await run('activity'));
  assert.equal(again, item);
  const json = JSON.parse(await run('undo', undo, '--json'));
  assert.deepEqual([json.undone, json.left], [2, []]);
  const items = JSON.parse(await run('activity', '--json', '--limit', '1'));
  assert.deepEqual([items.length, items[0].undoes], [1, undo]);
  assert.equal(await run('activity', '--since', '2100-01-01'), '');
  assertFails(await cli(['activity', '--since', 'soon'], { env }), /soon/);
  assertFails(await cli(['undo', '0190a000-0000-7000-8000-000000000000'], { env }), /no such activity/i);
});
