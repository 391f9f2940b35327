import { after, before, describe } from 'node:test';
import { noChromium } from '../../../../tools/chromium.ts';
import { type EditorBrowser, startBrowser } from './browser.ts';

/** Registers suites that share one browser. */
export function inChromium(title: string, suites: readonly ((browser: () => EditorBrowser) => void)[]): void {
  describe(title, { skip: noChromium ?? false, timeout: 15 * 60_000 }, () => {
    let browser: EditorBrowser | null = null;
    before(async () => {
      browser = await startBrowser();
    });
    after(() => browser?.[Symbol.asyncDispose]());
    const open = () => {
      if (browser === null) throw new Error('the browser did not start');
      return browser;
    };
    for (const suite of suites) suite(open);
  });
}
