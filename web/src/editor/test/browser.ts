import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { build } from 'vite';
import { chromiumPath } from '../../../../tools/chromium.ts';
import { mermaid } from '../../../../tools/web-mermaid.ts';
import type { Harness } from './page/page.ts';

const web = join(import.meta.dirname, '../../..');
const PAGE = 'src/editor/test/page/index.html';

/** Content security policy of the app's page, under which the editor must work. */
const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:",
  "media-src 'self' blob:; connect-src 'self'; font-src 'self'; worker-src 'self'; frame-src 'self'",
  "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'",
].join('; ');
const FRAME_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: https: http:",
  "frame-ancestors 'self'; sandbox allow-scripts",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.pdf': 'application/pdf',
};

/** An editor in Chromium, on a page with the app's content security policy. */
export interface EditorBrowser extends AsyncDisposable {
  readonly browser: Browser;
  readonly url: string;
  /** Files that the page can load, by path. */
  readonly files: Map<string, Buffer>;
  /** Opens a page and records its complaints. */
  open(context?: Parameters<Browser['newContext']>[0]): Promise<EditorPage>;
}

export interface EditorPage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Page errors and violations of the content security policy. */
  readonly complaints: string[];
  start(text: string, mode?: 'preview' | 'source' | 'reading'): Promise<void>;
  run<Result>(call: (harness: Harness) => Result): Promise<Result>;
  /** Waits for the frames after a change, in which the editor measures and scrolls. */
  idle(): Promise<void>;
}

/** Builds the page and serves it. */
export async function startBrowser(): Promise<EditorBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'notevault-editor-'));
  await build({
    root: web,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [mermaid()],
    build: {
      outDir: folder,
      target: 'es2023',
      cssTarget: ['chrome123'],
      assetsInlineLimit: 0,
      minify: false,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: [PAGE, 'frames/mermaid.html', 'frames/image.html'].map((name) => join(web, name)) },
    },
  });
  // Browsers request the icon on their own.
  const files = new Map<string, Buffer>([['/favicon.ico', Buffer.alloc(0)]]);
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    const bytes = files.get(path) ?? (await readFile(join(folder, path)).catch(() => null));
    response.setHeader('content-security-policy', path.startsWith('/frames/') ? FRAME_POLICY : POLICY);
    response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
    // Sandboxed frames request modules without an origin.
    if (path.startsWith('/assets/')) response.setHeader('access-control-allow-origin', '*');
    response.writeHead(bytes === null ? 404 : 200).end(bytes ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--font-render-hinting=none', '--disable-lcd-text'],
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    browser,
    url,
    files,
    open: (context) => openPage(browser, url, context),
    async [Symbol.asyncDispose]() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

async function openPage(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<EditorPage> {
  const context = await browser.newContext({
    viewport: { width: 900, height: 700 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(`${url}/${PAGE}`);
  await page.waitForFunction(() => 'harness' in window);
  return {
    page,
    context,
    complaints,
    async start(text, mode = 'preview') {
      await page.evaluate(([source, chosen]) => window.harness.start(source, chosen), [text, mode] as const);
      await page.waitForSelector('[data-editor-ready]');
    },
    run: (call) => page.evaluate(`(${call.toString()})(window.harness)`) as never,
    idle: () =>
      page.evaluate(async () => {
        for (let frame = 0; frame < 4; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
      }),
    [Symbol.asyncDispose]: () => context.close(),
  };
}
