import { spawnSync } from 'node:child_process';
import { buildWeb } from './build-web.ts';

// `npm run test:e2e` runs the flows on SQLite; `npm run test:e2e -- --postgres` on PostgreSQL servers started for them.
// Other arguments are Playwright's.
await buildWeb();
const args = process.argv.slice(2);
const { status } = spawnSync(
  'playwright',
  ['test', '--config', 'e2e/playwright.config.ts', ...args.filter((arg) => arg !== '--postgres')],
  { stdio: 'inherit', env: { ...process.env, TEST_ENGINE: args.includes('--postgres') ? 'postgres' : 'sqlite' } },
);
process.exitCode = status ?? 1;
