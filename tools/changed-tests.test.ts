import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Folder } from '../server/test/kit/programs/process.ts';
import { changedSince, dependentsOf } from './changed-tests.ts';

const SOURCES = [
  { path: 'packages/text/src/words.ts', text: 'export const words = 1;\n' },
  { path: 'server/src/notes.ts', text: "import { words } from '@notevault/text/words.ts';\n" },
  { path: 'server/src/thread.ts', text: "import './notes.ts';\n" },
  { path: 'server/src/pool.ts', text: "const thread = new URL('./thread.ts', import.meta.url);\n" },
  { path: 'cli/src/main.ts', text: "await import('@notevault/server/pool.ts');\n" },
  { path: 'server/test/kit/process.ts', text: "const main = join(root, 'cli/src/main.ts');\n" },
  { path: 'server/test/cli.test.ts', text: "import { main } from './kit/process.ts';\n" },
  { path: 'web/src/page.tsx', text: "import { page } from './page.css';\n" },
  { path: 'web/src/page.test.ts', text: "import './page.tsx';\n" },
];

test('a test depends on what it imports, on threads and programs that are named, and on nothing else', () => {
  const ofWords = dependentsOf(['packages/text/src/words.ts'], SOURCES);
  assert.ok(ofWords.has('server/test/cli.test.ts'));
  assert.ok(!ofWords.has('web/src/page.test.ts'));
  assert.deepEqual([...dependentsOf(['web/src/page.tsx'], SOURCES)], ['web/src/page.tsx', 'web/src/page.test.ts']);
});

test('changed files are those that differ from the commit, and new ones', () => {
  using folder = new Folder();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder.path });
  const commit = ['-c', 'user.name=alice', '-c', 'user.email=alice@example.org', 'commit', '-qm', 'first'];
  for (const name of ['same.ts', 'edited.ts']) writeFileSync(folder.at(name), '1');
  git('init', '-q');
  git('add', '.');
  git(...commit);
  writeFileSync(folder.at('edited.ts'), '2');
  writeFileSync(folder.at('new.ts'), '3');
  assert.deepEqual(changedSince(folder.path, 'HEAD'), ['edited.ts', 'new.ts']);
});
