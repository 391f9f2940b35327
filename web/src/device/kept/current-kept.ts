import type { SyncChange } from '@notevault/protocol/sync.ts';
import { api } from '../../data/client.ts';
import { keptLists } from '../../data/current-lists.ts';
import { keys } from '../../data/keys.ts';
import { meQuery, treeQuery } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { seedDraft, sendKeptEdits, textOfCopy } from '../../editor/device.ts';
import { liveSocket } from '../../live/live-socket.ts';
import { isOwnDevice } from '../../session/own-device.ts';
import { exclusively } from '../../session/session-channel.ts';
import { workspace } from '../../workspace/workspace.ts';
import { deviceStore } from '../device-store.ts';
import { currentOutbox, doInVault } from '../outbox/current-outbox.ts';
import { draftId, draftOf } from '../outbox/outbox-state.ts';
import { sessionOptions } from '../session-options.ts';
import { persistStorage } from '../unkept.ts';
import { IndexedDbKept } from './indexed-db-kept.ts';
import { keptVaults } from './kept-state.ts';
import { type KeptVault, keepVault } from './kept-vault.ts';

/** Maximum bytes kept on request; the browser may offer less. */
const MOST_BYTES = 1024 ** 3;
/** Bytes reserved for the rest of the app: copies of open notes, drafts, the outbox. */
const RESERVE_BYTES = 64 * 1024 ** 2;
/** Signals may be missing; then the feed is read after this time. */
const AT_MOST_MS = 60_000;
/** While somebody types, the feed is read at most this often. */
const QUIET_MS = 3_000;
const REFRESH_MS = 30_000;

interface Keeper {
  readonly account: string;
  readonly store: IndexedDbKept;
  readonly running: Map<string, AbortController>;
  readonly channel: BroadcastChannel;
}

let current: Keeper | null = null;

/** Keeps the account's chosen vaults on this device until the signal aborts. */
export async function followKept(account: string, ended: AbortSignal): Promise<void> {
  if (typeof indexedDB === 'undefined' || !isOwnDevice() || ended.aborted) return;
  const keeper: Keeper = {
    account,
    store: new IndexedDbKept(indexedDB, account),
    running: new Map(),
    channel: new BroadcastChannel('notevault-kept'),
  };
  current = keeper;
  keeper.channel.addEventListener('message', () => void check(keeper));
  ended.addEventListener('abort', () => {
    if (current === keeper) current = null;
    for (const controller of keeper.running.values()) controller.abort();
    keeper.channel.close();
    keptVaults.set([]);
  });
  await check(keeper);
}

/** Keeps a vault on this device from now on. */
export async function keepOnDevice(vault: string, withFiles: boolean): Promise<void> {
  if (current === null) return;
  persistStorage();
  await current.store.add(vault, withFiles);
  // One that is kept already begins anew, with its files or without.
  current.running.get(vault)?.abort();
  current.running.delete(vault);
  await check(current);
  current.channel.postMessage(null);
}

/** Removes a vault that was kept on request; copies of opened notes stay. */
export async function removeFromDevice(vault: string): Promise<void> {
  if (current === null) return;
  current.running.get(vault)?.abort();
  await current.store.remove(vault);
  await check(current);
  current.channel.postMessage(null);
}

/** Removes vaults that the account has no more. */
export async function tidyKept(vaults: ReadonlySet<string>): Promise<void> {
  for (const { vault } of (await current?.store.vaults()) ?? []) if (!vaults.has(vault)) await removeFromDevice(vault);
}

/** How many bytes may still be kept on request. */
export async function freeBytes(): Promise<number> {
  const kept = (await current?.store.vaults()) ?? [];
  const used = kept.reduce((sum, { noteBytes, fileBytes }) => sum + noteBytes + fileBytes, 0);
  // There is no manager in insecure contexts; a device that is full then says so itself.
  const { storage } = navigator as { readonly storage?: StorageManager };
  const { quota = Number.POSITIVE_INFINITY, usage = 0 } = (await storage?.estimate().catch(() => null)) ?? {};
  return Math.min(MOST_BYTES - used, quota - usage - RESERVE_BYTES);
}

export interface VaultSize {
  readonly notes: number;
  readonly noteBytes: number;
  /** Whether the bytes of the notes are an estimate. */
  readonly isEstimate: boolean;
  readonly files: number;
  readonly fileBytes: number;
}

/** How much would be kept of a vault: of large ones, the notes by those that are first in the feed. */
export async function sizeOf(vault: string): Promise<VaultSize> {
  const [tree, page] = await Promise.all([
    queryClient.fetchQuery(treeQuery(vault)),
    api.vault(vault).changes(null, { content: true }),
  ]);
  const texts = page?.changes.flatMap(({ content }) => content ?? []) ?? [];
  const read = texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
  const isEstimate = page?.has_more === true;
  return {
    notes: tree.notes.length,
    noteBytes: isEstimate ? Math.round((read / Math.max(1, texts.length)) * tree.notes.length) : read,
    isEstimate,
    files: tree.attachments.length,
    fileBytes: tree.attachments.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
  };
}

/**
 * Opens a note of a kept vault offline, if this device has no document of it: edits are sent as edits of the kept
 * version. Resolves to whether the note is kept.
 */
export async function openKept(vault: string, noteId: string): Promise<boolean> {
  if (typeof indexedDB === 'undefined' || !isOwnDevice()) return false;
  const { id: account } = await queryClient.ensureQueryData(meQuery);
  return exclusively('notevault-open-kept', async () => {
    // Another tab may have opened it.
    await (await currentOutbox()).load();
    if (draftOf(noteId) !== null) return true;
    const note = await new IndexedDbKept(indexedDB, account).note(vault, noteId).catch(() => null);
    if (note === null) return false;
    const { path, content, version } = note;
    const copies = deviceStore(account);
    await copies.remove(draftId(noteId));
    await seedDraft(copies, { id: draftId(noteId), vaultId: vault, path }, content, true);
    const sent = { version, content };
    await doInVault(vault, { kind: 'note', noteId, path, content, attempt: null, sent });
    return true;
  });
}

/** Begins and ends keeping as recorded. */
async function check(keeper: Keeper): Promise<void> {
  const kept = await keeper.store.vaults().catch((): readonly KeptVault[] => []);
  if (current !== keeper) return;
  keptVaults.set(kept);
  for (const [vault, controller] of keeper.running) {
    if (kept.some((one) => one.vault === vault)) continue;
    controller.abort();
    keeper.running.delete(vault);
  }
  for (const { vault } of kept) if (!keeper.running.has(vault)) start(keeper, vault);
}

function start(keeper: Keeper, vault: string): void {
  const controller = new AbortController();
  const { signal } = controller;
  keeper.running.set(vault, controller);
  const show = async () => {
    const kept = await keeper.store.vaults().catch(() => null);
    if (kept !== null && current === keeper) keptVaults.set(kept);
    // Other tabs show it too, and do not go on with it themselves.
    if (current === keeper) keeper.channel.postMessage(null);
  };
  void exclusively(`notevault-kept ${vault}`, async () => {
    if (signal.aborted) return;
    using signals = liveSocket().watch(vault);
    const copies = copiesOf(keeper.account, vault, signal);
    let isChanged = true;
    await keepVault(
      {
        vault,
        store: keeper.store,
        changes: (cursor) => api.vault(vault).changes(cursor, { content: true }),
        file: (path) => bytesOf(vault, path),
        room: freeBytes,
        stored: async (changes) => {
          isChanged = true;
          copies(changes);
        },
        changed: () => void show(),
        now: () => Date.now(),
        async wait() {
          if (isChanged) await keepTree(vault).catch(() => undefined);
          isChanged = false;
          await pause(QUIET_MS, signal);
          await signals.next(AT_MOST_MS, signal);
        },
      },
      signal,
    );
    if (!signal.aborted) await tidyKept(new Set((await api.vaults()).map(({ id }) => id)));
  }).catch(() => undefined);
}

/** Keeps the tree among the lists of this device; that of an open vault is current. */
async function keepTree(vault: string): Promise<void> {
  const isShown =
    (queryClient
      .getQueryCache()
      .find({ queryKey: keys.tree(vault) })
      ?.getObserversCount() ?? 0) > 0;
  const tree = await queryClient.fetchQuery({ ...treeQuery(vault), ...(isShown ? {} : { staleTime: 0 }) });
  await keptLists().keep(keys.tree(vault), tree);
}

/** Brings documents of notes that this device has anyway up to date, one after the other: they are opened before texts. */
function copiesOf(account: string, vault: string, signal: AbortSignal): (changes: readonly SyncChange[]) => void {
  const store = deviceStore(account);
  let last = Promise.resolve();
  const refresh = async (changes: readonly SyncChange[]) => {
    const texts = new Map(changes.flatMap(({ id, content }) => (content === undefined ? [] : [[id, content]])));
    for (const note of await store.sentNotes(vault)) {
      const text = texts.get(note.id);
      if (text === undefined || signal.aborted || workspace.isOpen(note.id)) continue;
      const copy = await store.load(note.id);
      if (copy === null || textOfCopy(copy) === text) continue;
      const late = AbortSignal.any([signal, AbortSignal.timeout(REFRESH_MS)]);
      await sendKeptEdits(sessionOptions(note, account, store), late).catch(() => undefined);
      void queryClient.invalidateQueries({ queryKey: keys.deviceNote(note.id) });
    }
  };
  return (changes) => {
    last = last.then(() => refresh(changes)).catch(() => undefined);
  };
}

async function bytesOf(vault: string, path: string): Promise<Response | null> {
  const file = await api.vault(vault).readAttachment(path);
  if (file === null) return null;
  const headers = {
    'content-type': file.mimeType,
    ...(file.size === null ? {} : { 'content-length': `${file.size}` }),
  };
  return new Response(file.bytes, { headers });
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
  });
}
