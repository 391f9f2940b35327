import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import type { Operation } from '@notevault/sync/plan/operations.ts';
import { NO_STATUS } from '@notevault/sync/run/sync-status.ts';
import { RunningStatus } from './running-status.ts';

const up = (path: string): Operation => ({ type: 'createRemote', path, hash: path, id: null });
const down = (path: string): Operation => ({ type: 'makeLocalFolder', path });

it('a folder’s status shows the remaining work once a second during a run, and its result at the end', async () => {
  const place = mkdtempSync(join(tmpdir(), 'notevault-status-'));
  try {
    let ticks = 0;
    const status = new RunningStatus(place, () => ticks);
    const shown = async () => {
      const { state, waitingUp, waitingDown } = (await status.read()) ?? assert.fail('no status');
      return [state, waitingUp, waitingDown];
    };
    const operations = [up('a.md'), up('b.md'), up('c.md'), down('f')];
    await status.write({ ...NO_STATUS, state: 'in step', watching: 'watched' });
    status.planned(operations);
    assert.deepEqual(await shown(), ['syncing', 3, 1]);
    status.done(up('a.md'));
    assert.deepEqual(await shown(), ['syncing', 3, 1]);
    ticks = 1000;
    status.done(down('f'));
    assert.deepEqual(await shown(), ['syncing', 2, 0]);
    ticks = 2000;
    status.done(up('b.md'));
    await status.write({ ...NO_STATUS, state: 'in step', watching: 'watched' });
    assert.deepEqual(await shown(), ['in step', 0, 0]);
    assert.equal((await status.read())?.watching, 'watched');
  } finally {
    rmSync(place, { recursive: true });
  }
});
