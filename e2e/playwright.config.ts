import { defineConfig } from '@playwright/test';
import { chromiumPath, LETTERS } from '../tools/chromium.ts';

// `npm run test:e2e`: flows in a real browser against the real server with the built app. No test is retried, because
// a retry hides races; no time is waited for.
export default defineConfig({
  testDir: '.',
  testMatch: process.env.TEST_FLOWS === 'long' ? /\.long\.spec\.ts$/ : /(?<!\.long)\.spec\.ts$/,
  outputDir: '../node_modules/.cache/e2e',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  use: {
    launchOptions: {
      executablePath: chromiumPath(),
      args: [
        '--no-sandbox',
        // Its default is too small in containers.
        '--disable-dev-shm-usage',
        ...LETTERS,
      ],
    },
    viewport: { width: 1200, height: 800 },
    locale: 'en',
    timezoneId: 'UTC',
    contextOptions: { reducedMotion: 'reduce' },
    // The app's worker takes a quarter of the work of opening a note: flows of what it does allow it.
    serviceWorkers: 'block',
    // A trace of each flow would be a fifth of the work: `--trace retain-on-failure` takes them.
    screenshot: 'only-on-failure',
  },
});
