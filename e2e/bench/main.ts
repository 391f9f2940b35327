import { parseArgs } from 'node:util';
import { type CDPSession, chromium, type Page } from '@playwright/test';
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
 * How fast the app is in a vault of 10,000 notes, with software rendering; without names, all of it. Times depend on the
 * machine and on what else it does: compare them with the loop that is timed in the same browser.
 */

const PARTS = ['notes', 'tree', 'memory', 'keys', 'graph'] as const;

const NOTES = 10_000;
const OPENED = 30;
const BATCH = 100;
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
  await fill(alice);
  const page = await context.newPage();
  await page.addInitScript(WATCH_TASKS);
  await page.goto(alice.page());
  await page.getByRole('treeitem').first().waitFor();
  report('loop of this browser', await page.evaluate<number[]>(LOOP), 'for comparison');
  await openFolders(page);
  if (has('notes')) report('opening a note', await openNotes(page), 'aim: 100 ms');
  if (has('tree')) report('tasks while the tree scrolls', await scrollTree(page), 'aim: none over 50 ms');
  if (has('memory')) await memory(page, await context.newCDPSession(page));
  if (has('keys')) report('a key to its frame, 10,000 lines', await typeInLongNote(page, alice), 'aim: p95 16 ms');
  if (has('graph')) report('tasks of the graph', await drawGraph(page, alice), 'aim: none over 100 ms');
} finally {
  await browser.close();
}

async function fill(alice: Account): Promise<void> {
  const notes = Array.from({ length: NOTES }, (_, at) => {
    const links = LINKED.map((distance) => `[[Note ${Math.max(0, at - distance)}]]`).join(' and ');
    const folder = `Folder ${at % 100}`;
    return { path: `${folder}/Note ${at}.md`, content: `# Note ${at}\n\nAbout ${links}.\n`, mtime: 1_700_000_000 };
  });
  for (let at = 0; at < NOTES; at += BATCH) await alice.vault.upsertNotes(notes.slice(at, at + BATCH));
}

async function openFolders(page: Page): Promise<void> {
  await page.getByRole('tree').focus();
  await page.keyboard.press('*');
  await page.getByRole('treeitem', { level: 2 }).first().waitFor();
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
  const before = await used();
  await page.evaluate(`(${OPEN_NOTE})(200)`);
  console.log(`heap: ${before.toFixed(1)} MB, after 200 more notes ${(await used()).toFixed(1)} MB`);
}

async function typeInLongNote(page: Page, alice: Account): Promise<number[]> {
  const { id } = await alice.write('Long.md', longNote(10_000));
  await page.goto(alice.page(`/notes/${id}`));
  const editor = page.locator('[data-editor-ready] .cm-content').first();
  await editor.click();
  await page.evaluate(KEYS);
  for (let key = 0; key < 100; key++) {
    await page.keyboard.press('x');
    await page.evaluate('window.afterFrame()');
  }
  return page.evaluate<number[]>('window.keyTimes');
}

async function drawGraph(page: Page, alice: Account): Promise<number[]> {
  await page.goto(alice.page('/graph'));
  return page.evaluate<number[]>(DRAW_GRAPH);
}

function report(what: string, times: readonly number[], aim: string): void {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  console.log(`${what}: ${times.length} times, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms (${aim})`);
}
