import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { databaseFile } from '../../../src/data/data-folder.ts';
import { openRaw } from '../../kit/database/raw-sql.ts';
import { assertFails, cli, startServe, suiteFolder } from '../../kit/programs/process.ts';

const folder = suiteFolder();

const files = {
  'Sea/Lighthouse.md': '# Keeper\n\n## Lamps\nThe lantern burns all night.\n',
  'Land/Field.md': 'Barley and rye, no lantern.\n',
  'escape.md': 'a lantern \u001b[31mred\u001b[0m',
};

describe('the search commands', { concurrency: 2 }, () => {
  const filled = folder.at('filled');
  before(async () => {
    const vault = folder.at('Notes');
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(`${vault}/${path.split('/').slice(0, -1).join('/')}`, { recursive: true });
      writeFileSync(`${vault}/${path}`, text);
    }
    const env = { NOTEVAULT_DATA_DIR: filled };
    const input = 'long enough\n';
    const made = await cli(['admin', 'create-user', 'alice@example.org', '--password-stdin'], { env, input });
    assert.equal(made.code, 0, made.stderr);
    assert.equal((await cli(['import', vault, '--vault', 'Notes'], { env })).code, 0);
  });

  for (const running of [false, true]) {
    it(`notevault search and reindex work with the server ${running ? 'running' : 'stopped'}`, async () => {
      const data = folder.at(`data-${running}`);
      cpSync(filled, data, { recursive: true });
      const env = { NOTEVAULT_DATA_DIR: data };
      await using _server = running ? await startServe({ env }) : null;

      const found = await cli(['search', 'lantern', 'night'], { env });
      assert.deepEqual([found.code, found.stderr], [0, '']);
      const [first = '', second = ''] = found.stdout.split('\n');
      assert.match(first, /^Sea\/Lighthouse\.md {2}0\.\d\d {2}Keeper > Lamps$/);
      assert.match(second, /The lantern burns all night\./);
      assert.ok(!found.stdout.includes('\u001b'), 'a note cannot steer the terminal');

      const json = await cli(
        ['search', '--json', '--limit', '1', '--mode', 'keyword', '--vault', 'Notes', '"barley and"'],
        { env },
      );
      const results = JSON.parse(json.stdout);
      assert.deepEqual(
        results.map(({ path }: { path: string }) => path),
        ['Land/Field.md'],
      );
      assert.equal(results[0].match_count, 1);

      const nothing = ['search', '--mode', 'keyword', 'zeppelin'];
      const { code, stdout, stderr } = await cli(nothing, { env });
      assert.deepEqual([code, stdout, stderr], [0, '', 'No results in the vault "Notes".\n']);
      const relaxed = await cli(['search', '"night lantern"'], { env });
      assert.match(relaxed.stdout, /^Sea\/Lighthouse\.md/);
      assert.equal(
        relaxed.stderr,
        'No note in the vault "Notes" contains "night lantern". These notes contain its words:\n',
      );
      const emptyList = await cli([...nothing, '--json'], { env });
      assert.deepEqual([emptyList.code, emptyList.stdout, emptyList.stderr], [0, '[]\n', '']);

      const indexed = await cli(['reindex', 'Notes'], { env });
      assert.equal(indexed.code, 0, indexed.stderr);
      assert.match(indexed.stderr, /Vault "Notes": 3 of 3 notes indexed/);
      assert.match((await cli(['reindex'], { env })).stderr, /Vault "Notes": 3 of 3/);
      await using raw = await openRaw({ file: databaseFile(data) });
      assert.equal((await raw.all('select * from search_indexes')).length, 1);
      assert.equal((await cli(['search', 'lantern'], { env })).code, 0);

      assertFails(await cli(['search', 'x', '--vault', 'Nowhere'], { env }), /There is no vault named "Nowhere"\./);
      assertFails(await cli(['search', ' ', '--mode', 'keyword'], { env }), /query can't be blank/);
      assertFails(await cli(['search', 'x', '--mode', 'sideways'], { env }), /keyword, vector, hybrid/);
    });
  }

  it('notevault search reports that there is no data in an empty folder', async () => {
    const env = { NOTEVAULT_DATA_DIR: folder.at('nothing') };
    assertFails(await cli(['search', 'x'], { env }), /no data/);
  });
});
