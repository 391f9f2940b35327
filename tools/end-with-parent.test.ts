import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Folder } from '../server/test/kit/programs/process.ts';

test('what a bench forks keeps its own channel, and lives until it is told to stop', async () => {
  using folder = new Folder();
  const [leader, helper] = [join(folder.path, 'leader.mjs'), join(folder.path, 'helper.mjs')];
  writeFileSync(helper, `process.on('message', (message) => process.send(message) && process.disconnect());`);
  writeFileSync(
    leader,
    `import { fork } from 'node:child_process';
     import { setTimeout as delay } from 'node:timers/promises';
     const child = fork(${JSON.stringify(helper)});
     child.on('message', (message) => process.send(message));
     await delay(300);
     child.send('stop');`,
  );
  const execArgv = ['--import', join(import.meta.dirname, 'end-with-parent.ts')];
  const child = fork(leader, { execArgv, detached: true, stdio: 'inherit' });
  assert.deepEqual(await once(child, 'message'), ['stop', undefined]);
  await once(child, 'exit');
});
