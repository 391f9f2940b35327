import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { type Plugin, rolldown } from 'rolldown';
import { chromiumPath } from '../../../tools/chromium.ts';
import type { StartOptions } from './page/page.ts';
import type { PluginOptions } from './page/whole-plugin.ts';

const workspace = join(import.meta.dirname, '..');

/** A module of the plugin without one of its guards. */
export interface Mutation {
  /** Source file, relative to clients/obsidian/src. */
  readonly file: string;
  readonly guard: string;
  readonly without: string;
}

/** A browser whose pages are devices, each with the app, the editor at the app's versions, and the plugin's live notes. */
export interface DeviceBrowser extends AsyncDisposable {
  readonly origin: string;
  open(options: StartOptions): Promise<DevicePage>;
  /** Opens a device with the whole plugin. */
  openPlugin(options: PluginOptions): Promise<DevicePage<'plugin'>>;
}

/** @typeParam Name name of the page's global variable that holds the device */
export interface DevicePage<Name extends 'device' | 'plugin' = 'device'> extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings of the page's console. */
  readonly complaints: string[];
  run<Result, Argument = undefined>(
    call: (device: Window[Name], argument: Argument) => Result,
    ...argument: Argument extends undefined ? [] : [Argument]
  ): Promise<Awaited<Result>>;
  /** Ends the app as the system does, and starts it again. */
  kill(): Promise<void>;
}

export async function startDevices(mutations: readonly Mutation[] = []): Promise<DeviceBrowser> {
  const code = await bundlePage(mutations);
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
    open: (options) =>
      openDevice(browser, origin, 'device', (page) => page.evaluate((given) => window.start(given), options)),
    openPlugin: (options) =>
      openDevice(browser, origin, 'plugin', (page) => page.evaluate((given) => window.startPlugin(given), options)),
    async [Symbol.asyncDispose]() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Returns the processor time of the longest page task while `work` ran, in milliseconds. Other load on the machine does
 * not affect it.
 */
export async function longestTaskIn({ page }: Pick<DevicePage, 'page'>, work: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser');
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const pages = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  );
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && pages.has(threadOf(event)));
  if (tasks.length === 0) throw new Error('the trace has no tasks of a page');
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1000;
}

/** Returns the page with the packages of the editor at the versions that the app has. */
async function bundlePage(mutations: readonly Mutation[]): Promise<string> {
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
    plugins: mutations.map(mutated),
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

async function openDevice<Name extends 'device' | 'plugin'>(
  browser: Browser,
  origin: string,
  name: Name,
  begin: (page: Page) => Promise<void>,
): Promise<DevicePage<Name>> {
  const context: BrowserContext = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error.stack ?? error)));
  const start = async () => {
    await page.goto(origin);
    await begin(page);
  };
  await start();
  return {
    page,
    complaints,
    run: (call, ...[argument]) =>
      page.evaluate(
        ([code, given, of]) =>
          new Function('device', 'argument', `return (${code})(device, argument)`)(window[of], given),
        [call.toString(), argument, name] as const,
      ) as never,
    kill: start,
    [Symbol.asyncDispose]: () => context.close(),
  };
}
