import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Folder } from '../server/test/kit/programs/process.ts';
import { until } from '../server/test/kit/until.ts';

const bench = join(import.meta.dirname, 'bench.ts');

/**
 * Returns the ids of processes with a field of /proc/PID/stat, counted from the state on, except those that have ended.
 */
function processesWith(field: 'parent' | 'group', id: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // The state follows the name, which is in parentheses and can hold anything.
        const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return state !== 'Z' && Number(field === 'parent' ? parent : group) === id;
      } catch {
        return false;
      }
    })
    .map(Number);
}

test('an unknown name is refused with the names of all benches, and nothing runs', () => {
  for (const args of [['upsetrs'], ['upserts', 'upsetrs'], ['upsetrs', '--postgres']]) {
    const options = { encoding: 'utf8', timeout: 60_000 } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [bench, ...args], options);
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^There is no bench called upsetrs, but these:\n\n(?: {2}[\w-]+\n)+$/);
  }
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
  test(`a bench that is ended by ${signal} leaves no process behind`, {
    skip: process.platform !== 'linux',
  }, async () => {
    using folder = new Folder();
    const env = { ...process.env, TMPDIR: folder.path };
    const runner = spawn(process.execPath, [bench, 'upserts'], { env, stdio: 'ignore' });
    const ended = once(runner, 'close');
    let group: number | undefined;
    try {
      await until(() => {
        // A bench leads the group of its processes.
        group ??= processesWith('parent', runner.pid ?? 0).find((id) => processesWith('group', id).includes(id));
        return group !== undefined && processesWith('group', group).length > 1;
      }, 'a bench with a server');
      runner.kill(signal);
      assert.deepEqual(await ended, [null, signal]);
      await until(() => processesWith('group', group ?? 0).length === 0, 'the end of the bench and its server');
    } finally {
      runner.kill('SIGKILL');
      if (group !== undefined && processesWith('group', group).length > 0) process.kill(-group, 'SIGKILL');
    }
  });
}
