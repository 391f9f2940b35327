import { spawnSync } from 'node:child_process';
import { buildProgram } from './build.ts';
import { buildWeb } from './build-web.ts';

// `npm run test:e2e` runs the flows on SQLite; `npm run test:e2e -- --postgres` on PostgreSQL servers started for them.
// With --long it runs those of *.long.spec.ts, which take minutes. Other arguments are Playwright's.
await buildWeb();
// What ships, which also starts in a third of the time.
const program = await buildProgram();
const args = process.argv.slice(2);
const OWN = ['--postgres', '--long'];
const { status } = spawnSync(
  'playwright',
  ['test', '--config', 'e2e/playwright.config.ts', ...args.filter((arg) => !OWN.includes(arg))],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      TEST_PROGRAM: program,
      TEST_ENGINE: args.includes('--postgres') ? 'postgres' : 'sqlite',
      TEST_FLOWS: args.includes('--long') ? 'long' : 'short',
    },
  },
);
process.exitCode = status ?? 1;
