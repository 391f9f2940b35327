import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { noChromium } from './chromium.ts';

// `npm run test:all` runs every test but the long ones, on both engines, one kind after the other, and ends at the first
// kind that fails.
const vaults = process.env.TEST_VAULTS ?? join(import.meta.dirname, '../../shared/vaults');
const noVaults = existsSync(vaults) ? undefined : `there are no vaults in ${vaults}`;

const runs: readonly (readonly [command: string, whyNot?: string | undefined])[] = [
  // Together, because each process loads the server, and one that waits leaves its processor to another.
  ['test -- --short --full --stress'],
  ['test:optional'],
  // Each keeps one processor busy.
  ...((noChromium ?? noVaults) === undefined
    ? [['test:browser -- --vaults'] as const]
    : ([
        ['test:browser', noChromium],
        ['test:vaults', noVaults],
      ] as const)),
  ['test:e2e', noChromium],
];
for (const [command, whyNot] of runs) {
  if (whyNot !== undefined) {
    console.log(`\n=== NOT RUN: npm run ${command}, because ${whyNot}`);
    continue;
  }
  console.log(`\n=== npm run ${command}`);
  const env = { ...process.env, TEST_ENGINES: 'both', TEST_VAULTS: vaults };
  const { status } = spawnSync('npm', ['run', ...command.split(' ')], { stdio: 'inherit', env });
  if (status !== 0) {
    console.error(`\n=== npm run ${command} failed`);
    process.exit(status ?? 1);
  }
}
console.log('\n=== All green');
