import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { KEPT_PER_FILE } from '@notevault/sync/rules/kept-copies.ts';
import { Trash } from './trash.ts';

const HOUR_MS = 60 * 60 * 1000;

it('the trash keeps the newest copies of each file, for 30 days', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'notevault-trash-'));
  try {
    let now = 0;
    const open = () => Trash.open(folder, () => now);
    const ids: string[] = [];
    const add = async (trash: Trash, path: string) => {
      const id = trash.newId();
      const from = join(folder, 'file');
      writeFileSync(from, path);
      await trash.add(from, { id, path, reason: 'overwritten', size: path.length, mtime: 0 });
      return id;
    };
    {
      using trash = await open();
      await add(trash, 'other.md');
      for (let count = 0; count < KEPT_PER_FILE + 5; count++) {
        now += HOUR_MS;
        ids.push(await add(trash, 'a.md'));
      }
      assert.deepEqual(
        trash.list('a.md').map(({ id }) => id),
        ids.slice(5).toReversed(),
      );
      assert.equal(trash.list().length, KEPT_PER_FILE + 1);
      assert.deepEqual(
        ids.map((id) => existsSync(trash.fileOf(id))),
        ids.map((_, at) => at >= 5),
      );
    }
    now += 30 * 24 * HOUR_MS - 2 * HOUR_MS;
    using trash = await open();
    assert.deepEqual(
      trash.list().map(({ id }) => id),
      ids.slice(-3).toReversed(),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
