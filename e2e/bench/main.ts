import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BrowserContext, type CDPSession, chromium, type Page } from '@playwright/test';
import { rolldown } from 'rolldown';
import { buildWeb } from '../../tools/build-web.ts';
import { chromiumPath } from '../../tools/chromium.ts';
import { longNote } from '../../web/src/editor/test/long-note-text.ts';
import type { Account } from '../kit/account.ts';
import { Server } from '../kit/server.ts';
import { signedIn } from '../kit/test.ts';
import { DRAW_GRAPH, KEYS, LOOP, OPEN_NOTE, SCROLL_TREE, WATCH_TASKS } from './in-page.ts';

/*
 * node e2e/bench/main.ts [part …]
 *
 * How fast the app is in a vault of 10,000 notes, and its tree in one of 100,000, with software rendering; without names,
 * all of it. Times depend on the machine and on what else it does: compare them with the loop that is timed in the same
 * browser. Keys are compared with plain CodeMirror over the same text, in rounds that alternate.
 */

const PARTS = ['notes', 'memory', 'keys', 'graph', 'tree'] as const;

const NOTES = 10_000;
const OPENED = 100;
/** Number of notes opened: an hour at three seconds per note. */
const SWITCHES = 1200;
const TREE_NOTES = 100_000;
const BATCH = 100;
const ROUNDS = 5;
const KEYS_A_ROUND = 60;
/** Notes as most are, and as few are. */
const LINES = [200, 10_000];
/** A link to each of the notes at these distances. */
const LINKED = [1, 97];

const { positionals } = parseArgs({ allowPositionals: true });
const has = (part: (typeof PARTS)[number]) => positionals.length === 0 || positionals.includes(part);
const unknown = positionals.filter((name) => !PARTS.some((part) => part === name));
if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(', ')}; there are ${PARTS.join(', ')}`);
await buildWeb();
await using server = await Server.start({ NOTEVAULT_REGISTRATION: 'open' });
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
try {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, locale: 'en' });
  const alice = await signedIn(server, context);
  await fill(alice, NOTES);
  const page = await openVault(context, alice);
  report('loop of this browser', await page.evaluate<number[]>(LOOP), 'for comparison');
  if (has('notes')) report('opening a note', await openNotes(page), 'aim: p95 100 ms');
  if (has('memory')) await memory(page, await context.newCDPSession(page));
  if (has('keys')) for (const lines of LINES) await compareKeys(page, alice, context, lines);
  if (has('graph')) report('tasks of the graph', await drawGraph(page, alice), 'aim: none over 100 ms');
  await page.close();
  if (has('tree')) {
    const large = await signedIn(server, context);
    await fill(large, TREE_NOTES);
    report('tasks while the tree scrolls', await scrollTree(await openVault(context, large)), 'aim: none over 50 ms');
  }
} finally {
  await browser.close();
}

async function fill(account: Account, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const notes = Array.from({ length: BATCH }, (_, index) => {
      const at = from + index;
      const links = LINKED.map((distance) => `[[Note ${Math.max(0, at - distance)}]]`).join(' and ');
      const folder = `Folder ${at % 100}`;
      return { path: `${folder}/Note ${at}.md`, content: `# Note ${at}\n\nAbout ${links}.\n`, mtime: 1_700_000_000 };
    });
    await account.vault.upsertNotes(notes);
  }
}

/** A page with the vault, and all of its folders open. */
async function openVault(context: BrowserContext, account: Account): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(WATCH_TASKS);
  await page.goto(account.page());
  await page.getByRole('treeitem').first().waitFor();
  await openFolders(page);
  return page;
}

async function openFolders(page: Page): Promise<void> {
  await page.getByRole('tree').focus();
  await page.keyboard.press('*');
  await page.getByRole('treeitem', { level: 2 }).first().waitFor();
  // What the opening itself takes is not what is timed after it.
  for (let frame = 0; frame < 20; frame++) await page.evaluate('window.afterFrame()');
}

function openNotes(page: Page): Promise<number[]> {
  return page.evaluate(`(${OPEN_NOTE})(${OPENED})`);
}

function scrollTree(page: Page): Promise<number[]> {
  return page.evaluate(SCROLL_TREE);
}

async function memory(page: Page, session: CDPSession): Promise<void> {
  await session.send('Performance.enable');
  const used = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6;
  };
  // The first of them fill what is kept of notes that were open.
  await page.evaluate(`(${OPEN_NOTE})(${SWITCHES / 4})`);
  const before = await used();
  await page.evaluate(`(${OPEN_NOTE})(${SWITCHES})`);
  console.log(`heap: ${before.toFixed(1)} MB, after ${SWITCHES} more switches ${(await used()).toFixed(1)} MB`);
}

async function compareKeys(page: Page, alice: Account, context: BrowserContext, lines: number): Promise<void> {
  const text = longNote(lines);
  const { id } = await alice.write(`Long ${lines}.md`, text);
  await page.goto(alice.page(`/notes/${id}`));
  const plain = await openPlain(context, text);
  const own: number[] = [];
  const theirs: number[] = [];
  for (const editor of [page, plain]) await editor.evaluate(KEYS);
  for (let round = 0; round < ROUNDS; round++) {
    own.push(...(await typeIn(page, '[data-editor-ready] .cm-content')));
    theirs.push(...(await typeIn(plain, '.cm-content')));
  }
  await plain.close();
  report(`a key to its frame, ${lines} lines`, own, 'aim: p50 1.1, p95 1.5 times plain CodeMirror');
  report('the same in plain CodeMirror', theirs, 'for comparison');
  const ratio = (share: number) => (quantile(own, share) / quantile(theirs, share)).toFixed(2);
  console.log(`a key to its frame, ${lines} lines, ratio: p50 ${ratio(0.5)}, p95 ${ratio(0.95)}`);
}

async function openPlain(context: BrowserContext, text: string): Promise<Page> {
  const build = await rolldown({ input: join(import.meta.dirname, '../../web/src/editor/test/page/plain.ts') });
  const [chunk] = (await build.generate({ format: 'iife', minify: true })).output;
  const page = await context.newPage();
  await page.addInitScript(WATCH_TASKS);
  await page.goto('about:blank');
  await page.addScriptTag({ content: chunk.code });
  await page.evaluate(`openPlain(${JSON.stringify(text)})`);
  return page;
}

/** Types in the page, which must be in front, or its frames stand still. */
async function typeIn(page: Page, selector: string): Promise<number[]> {
  await page.bringToFront();
  await page.locator(selector).first().click();
  await page.evaluate('window.keyTimes.length = 0');
  for (let key = 0; key < KEYS_A_ROUND; key++) {
    await page.keyboard.press('x');
    await page.evaluate('window.afterFrame()');
  }
  return page.evaluate<number[]>('[...window.keyTimes]');
}

async function drawGraph(page: Page, alice: Account): Promise<number[]> {
  await page.goto(alice.page('/graph'));
  return page.evaluate<number[]>(DRAW_GRAPH);
}

function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function report(what: string, times: readonly number[], aim: string): void {
  const [median, most, longest] = [0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(1));
  console.log(`${what}: ${times.length} times, p50 ${median} ms, p95 ${most} ms, most ${longest} ms (${aim})`);
}
