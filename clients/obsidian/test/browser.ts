import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { type Plugin, rolldown } from 'rolldown';
import { chromiumPath } from '../../../tools/chromium.ts';
import type { StartOptions } from './page/page.ts';

const workspace = join(import.meta.dirname, '..');

/** A module of the plugin without one of its guards. */
export interface Mutation {
  /** In clients/obsidian/src. */
  readonly file: string;
  readonly guard: string;
  readonly without: string;
}

/** A browser whose pages are devices, each with the app, the editor at the app's versions, and the plugin's live notes. */
export interface DeviceBrowser extends AsyncDisposable {
  readonly origin: string;
  open(options: StartOptions): Promise<DevicePage>;
}

export interface DevicePage extends AsyncDisposable {
  readonly page: Page;
  /** What the page complained about. */
  readonly complaints: string[];
  run<Result, Argument = undefined>(
    call: (device: Window['device'], argument: Argument) => Result,
    ...argument: Argument extends undefined ? [] : [Argument]
  ): Promise<Awaited<Result>>;
  /** Ends the app as the system does, and starts it again. */
  kill(): Promise<void>;
}

export async function startDevices(mutation?: Mutation): Promise<DeviceBrowser> {
  const code = await bundlePage(mutation);
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? code : '<!doctype html><meta charset="utf-8"><body><script src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  return {
    origin,
    open: (options) => openDevice(browser, origin, options),
    async [Symbol.asyncDispose]() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The page with the packages of the editor at the versions that the app has. */
async function bundlePage(mutation: Mutation | undefined): Promise<string> {
  const own = (name: string) => join(workspace, 'node_modules/@codemirror', name);
  const alias = {
    obsidian: join(workspace, 'test/stand-in/obsidian.ts'),
    '@codemirror/state': own('state'),
    '@codemirror/view': own('view'),
    '@codemirror/commands': own('commands'),
  };
  const build = await rolldown({
    input: join(workspace, 'test/page/page.ts'),
    platform: 'browser',
    resolve: { alias },
    plugins: mutation === undefined ? [] : [mutated(mutation)],
  });
  const { output } = await build.generate({ format: 'iife', codeSplitting: false });
  await build.close();
  return output[0].code;
}

function mutated({ file, guard, without }: Mutation): Plugin {
  const path = join(workspace, 'src', file);
  return {
    name: 'mutation',
    transform(code, id) {
      if (id !== path) return null;
      if (!code.includes(guard)) throw new Error(`the guard of ${file} is another one by now: ${guard}`);
      return { code: code.replace(guard, () => without), map: null };
    },
  };
}

async function openDevice(browser: Browser, origin: string, options: StartOptions): Promise<DevicePage> {
  const context: BrowserContext = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error.stack ?? error)));
  const start = async () => {
    await page.goto(origin);
    await page.evaluate((given) => window.start(given), options);
  };
  await start();
  return {
    page,
    complaints,
    run: (call, ...[argument]) =>
      page.evaluate(
        ([code, given]) =>
          new Function('device', 'argument', `return (${code})(device, argument)`)(window.device, given),
        [call.toString(), argument] as const,
      ) as never,
    kill: start,
    [Symbol.asyncDispose]: () => context.close(),
  };
}
