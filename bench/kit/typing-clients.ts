import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider';
import * as Y from 'yjs';

/** A note with one client that types and one that watches, each over its own socket. */
export interface ClientPair {
  readonly writer: HocuspocusProvider;
  readonly watcher: HocuspocusProvider;
}

/** The results of a run: acknowledged letters per second, and the time from a keystroke until the watcher has it. */
export interface TypingFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Opens a pair of clients for each document name; the watcher may be on another server. */
export async function openClientPairs(
  url: string,
  token: string,
  names: readonly string[],
  watcherUrl = url,
): Promise<ClientPair[]> {
  const open = (name: string, at: string) => {
    const provider = new HocuspocusProvider({
      websocketProvider: new HocuspocusProviderWebsocket({ url: at.replace(/^http/, 'ws') }),
      ...{ name, token, document: new Y.Doc(), awareness: null },
    });
    provider.attach();
    return provider;
  };
  const pairs = names.map((name) => ({ writer: open(name, url), watcher: open(name, watcherUrl) }));
  for (const provider of pairs.flatMap(({ writer, watcher }) => [writer, watcher])) {
    while (!provider.synced || provider.hasUnsyncedChanges) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return pairs;
}

/** Pace of a writer: as long as fewer than `ahead` letters are unacknowledged, or at regular intervals. */
export type Pace =
  | { readonly ahead: number }
  /** Each a little after the writer before; `inStep`: all in the same turn of the loop, as no people would. */
  | { readonly everyMs: number; readonly inStep?: true };

/** All writers type for the given time, each at the end of its note. */
export async function type(pairs: readonly ClientPair[], seconds: number, pace: Pace): Promise<TypingFigures> {
  const delays: number[] = [];
  const until = performance.now() + seconds * 1000;
  const started = performance.now();
  const counts = await Promise.all(
    pairs.map((pair, index) => typePair(pair, until, pace, index / pairs.length, delays)),
  );
  const took = (performance.now() - started) / 1000;
  delays.sort((a, b) => a - b);
  const at = (share: number) => Math.round((delays[Math.floor(delays.length * share)] ?? 0) * 10) / 10;
  const letters = counts.reduce((sum, count) => sum + count, 0);
  return { perSecond: Math.round(letters / took), p50Ms: at(0.5), p99Ms: at(0.99) };
}

async function typePair(
  { writer, watcher }: ClientPair,
  until: number,
  pace: Pace,
  phase: number,
  delays: number[],
): Promise<number> {
  const [mine, theirs] = [writer.document.getText('content'), watcher.document.getText('content')];
  const sentAt: number[] = [];
  const base = mine.length;
  let seen = theirs.length - base;
  const onText = () => {
    const now = performance.now();
    for (; seen < theirs.length - base; seen++) delays.push(now - (sentAt[seen] ?? now));
  };
  theirs.observe(onText);
  const key = () => {
    sentAt.push(performance.now());
    mine.insert(mine.length, 'x');
  };
  const done = Promise.withResolvers<void>();
  const over = () => performance.now() >= until;
  const settle = () => {
    if (over() && writer.unsyncedChanges === 0) done.resolve();
  };
  let filling = false;
  const fill = () => {
    // Inserting a letter fires this event again, from inside the loop below.
    if (filling) return;
    filling = true;
    if ('ahead' in pace) while (!over() && writer.unsyncedChanges < pace.ahead) key();
    filling = false;
    settle();
  };
  writer.on('unsyncedChanges', fill);
  if ('everyMs' in pace && !pace.inStep) await new Promise((resolve) => setTimeout(resolve, phase * pace.everyMs));
  const timer = 'everyMs' in pace ? setInterval(() => (over() ? settle() : key()), pace.everyMs) : undefined;
  fill();
  await done.promise;
  clearInterval(timer);
  writer.off('unsyncedChanges', fill);
  const deadline = performance.now() + 5000;
  while (seen < sentAt.length && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 2));
  theirs.unobserve(onText);
  if (seen < sentAt.length) throw new Error(`${sentAt.length - seen} letters never came to the watcher`);
  return sentAt.length;
}

export function closePairs(pairs: readonly ClientPair[]): void {
  for (const { writer, watcher } of pairs) {
    for (const provider of [writer, watcher]) {
      provider.destroy();
      provider.configuration.websocketProvider.destroy();
    }
  }
}
