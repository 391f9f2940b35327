import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { WakeUp } from '@notevault/sync/watch/wake-up.ts';
import { Folder } from '../../../../server/test/kit/programs/process.ts';
import { ScriptedWatch } from '../../../../server/test/kit/scripted-watch.ts';
import { until } from '../../../../server/test/kit/until.ts';
import { nodeClock } from '../run/node-clock.ts';
import { FolderWatcher } from './folder-watcher.ts';

it('FolderWatcher reports changes of files and folders, but none of hidden or ignored ones', async () => {
  using folder = new Folder();
  mkdirSync(folder.at('f'));
  mkdirSync(folder.at('.notevault'));
  mkdirSync(folder.at('.obsidian'));
  mkdirSync(folder.at('out'));
  writeFileSync(folder.at('f/a.md'), 'a');
  const changed = new Set<string>();
  await using watcher = new FolderWatcher({
    root: folder.path,
    isIgnored: (path) => path === 'out' || path.startsWith('out/') || path.endsWith('.tmp'),
    changed: (path) => changed.add(path),
    failed: (reason) => assert.fail(reason),
  });
  await watcher.ready;
  writeFileSync(folder.at('.notevault/x'), 'x');
  writeFileSync(folder.at('out/x.md'), 'x');
  writeFileSync(folder.at('f/b.tmp'), 'b');
  writeFileSync(folder.at('f/a.md'), 'changed');
  await until(() => changed.has('f/a.md'), 'the changed file');
  renameSync(folder.at('f/b.tmp'), folder.at('f/b.md'));
  await until(() => changed.has('f/b.md'), 'the saved file');
  renameSync(folder.at('f'), folder.at('g'));
  await until(() => changed.has('g') && changed.has('f'), 'the moved folder');
  // A folder is reported before it is watched: whoever lists it then finds what was written until then.
  await until(() => {
    writeFileSync(folder.at('g/deep.md'), 'x');
    return changed.has('g/deep.md');
  }, 'a file in the moved folder');
  rmSync(folder.at('g'), { recursive: true });
  writeFileSync(folder.at('.notevaultignore'), 'x');
  await until(() => changed.has('.notevaultignore'), 'the new rules');
  writeFileSync(folder.at('.obsidian/app.json'), '{}');
  await until(() => changed.has('.obsidian/app.json'), 'the settings');
  assert.deepEqual(
    [...changed].filter((path) => /^(\.notevault\/|out|.*\.tmp$)/.test(path)),
    [],
  );
});

it('FolderWatcher reports a file that was put into a new folder right away, and the events of 500 files', async () => {
  using folder = new Folder();
  const changed = new Set<string>();
  await using watcher = new FolderWatcher({
    root: folder.path,
    isIgnored: () => false,
    changed: (path) => changed.add(path),
    failed: (reason) => assert.fail(reason),
  });
  await watcher.ready;
  mkdirSync(folder.at('new/deep'), { recursive: true });
  writeFileSync(folder.at('new/deep/x.md'), 'x');
  await until(() => changed.has('new'), 'the new folder');
  for (let index = 0; index < 500; index++) writeFileSync(folder.at(`${index}.md`), 'x');
  await until(() => changed.size >= 500, 'all files');
});

it('FolderWatcher says why changes cannot be noticed', async () => {
  using folder = new Folder();
  const reasons: string[] = [];
  for (const [code, reason] of [
    ['ENOSPC', /no more inotify watches/],
    ['EMFILE', /no more inotify instances/],
    ['EIO', /^broken$/],
  ] as const) {
    const scripted = new ScriptedWatch();
    await using watcher = new FolderWatcher({
      root: folder.path,
      isIgnored: () => false,
      changed: () => undefined,
      failed: (said) => reasons.push(said),
      watch: scripted.watch,
    });
    scripted.fail(code);
    await watcher.ready;
    assert.match(reasons.at(-1) ?? '', reason);
  }
});

it('WakeUp remembers calls that come while nobody waits, and counts several as one', async () => {
  const wakeUp = new WakeUp(nodeClock());
  const { signal } = new AbortController();
  wakeUp.call();
  wakeUp.call();
  await wakeUp.wait(1e9, signal);
  let woken = false;
  const waiting = wakeUp.wait(1e9, signal).then(() => {
    woken = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(woken, false);
  wakeUp.call();
  await waiting;
  await wakeUp.wait(1e9, AbortSignal.abort());
  await wakeUp.wait(1, signal);
});
