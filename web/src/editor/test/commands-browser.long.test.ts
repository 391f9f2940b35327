import { inChromium } from './in-chromium.ts';
import { concurrentTests } from './suites/concurrent.ts';

inChromium('the commands of the editor in Chromium, for hundreds of notes', [
  (browser) => concurrentTests(browser, 300),
]);
