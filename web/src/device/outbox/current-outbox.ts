import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { type Call, Transport } from '@notevault/client/transport.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { keys } from '../../data/keys.ts';
import { meQuery, noteQuery } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { seedDraft, textOfCopy } from '../../editor/device.ts';
import { serverUrl } from '../../platform/base.ts';
import { session } from '../../session/app-session.ts';
import { isOwnDevice } from '../../session/own-device.ts';
import { exclusively } from '../../session/session-channel.ts';
import { workspace } from '../../workspace/workspace.ts';
import { deviceStore } from '../device-store.ts';
import { locks, setUnkept } from '../unkept.ts';
import { unsentState } from '../unsent-state.ts';
import { isEdit } from './entry-facts.ts';
import { keysOf } from './entry-keys.ts';
import { IndexedDbOutbox } from './indexed-db-outbox.ts';
import { type Operation, type OutboxEntry, treeWith } from './operation.ts';
import { Outbox, type OutboxStore, type Result, TabOutbox } from './outbox.ts';
import { draftId, draftOf, outboxState } from './outbox-state.ts';
import { replay } from './replay.ts';

const AGAIN_MS = 15_000;
/** A draft that was sent stays for a while: another tab may have typed into it at that moment. */
const DRAFT_MS = 60_000;

/** Creates a client with few retries: an unanswered request stays in the outbox, and the app goes on. */
const clientOf = (keyOf?: (call: Call) => string) =>
  new NotevaultClient(new Transport(serverUrl(), session, { tries: 2, ...(keyOf === undefined ? {} : { keyOf }) }));
const api = clientOf();

interface OpenOutbox {
  readonly account: string;
  readonly outbox: Outbox;
  /** Resolves when the pending entries are loaded. */
  readonly loaded: Promise<void>;
}

let opened: OpenOutbox | null = null;

/** Returns the outbox of the signed-in account. */
export async function currentOutbox(): Promise<Outbox> {
  const { id } = await queryClient.ensureQueryData(meQuery);
  if (opened?.account !== id) {
    const outbox = openOutbox(id);
    opened = { account: id, outbox, loaded: outbox.load() };
  }
  const { outbox, loaded } = opened;
  await loaded;
  return outbox;
}

/** Does something in a vault: now, or as soon as the server is reached. */
export async function doInVault(vault: string, operation: Operation, id?: string): Promise<Result> {
  return (await currentOutbox()).run(vault, operation, id);
}

/** Whether a note or file waits to be made, or has text that waits to be sent: then the server knows it as another one. */
export function isChangedLocally(id: string): boolean {
  const makes = ({ operation: one }: OutboxEntry) =>
    one.kind === 'note' ? one.noteId === id : one.kind === 'file' && one.fileId === id;
  if (outboxState.get().entries.some(makes) || unsentState.get().notes.some((note) => note.id === id)) return true;
  return workspace.isOpen(id) && workspace.note(id).session.get()?.state.hasUnsent === true;
}

/** The text of a note that the server does not have yet. */
export async function draftText({ operation }: OutboxEntry): Promise<string> {
  return operation.kind === 'note' ? textOfDraft(operation.noteId, operation.content) : '';
}

/** Makes the document of a draft, if this device has none yet. */
export async function openDraft(noteId: string): Promise<void> {
  const { id: account } = await queryClient.ensureQueryData(meQuery);
  const entry = draftOf(noteId);
  if (entry?.operation.kind !== 'note') return;
  const { path, content } = entry.operation;
  const note = { id: draftId(noteId), vaultId: entry.vault, path };
  await seedDraft(deviceStore(account), note, content, isEdit(entry.operation));
}

/** Records that something was typed into a note that the server has: from then on, it waits. */
export async function markTyped(noteId: string): Promise<void> {
  const entry = draftOf(noteId);
  if (entry?.operation.kind !== 'note' || !isEdit(entry.operation) || entry.operation.isTyped === true) return;
  const typed = (operation: Operation) => (operation.kind === 'note' ? { ...operation, isTyped: true } : operation);
  await (await currentOutbox()).amend(entry.id, typed);
}

/** Removes the document of a draft. */
export async function forgetDraft(noteId: string): Promise<void> {
  const { id: account } = await queryClient.ensureQueryData(meQuery);
  await deviceStore(account).remove(draftId(noteId));
}

async function textOfDraft(noteId: string, begun: string): Promise<string> {
  const open = draftOf(noteId) === null ? null : workspace.note(noteId).session.get();
  if (open?.isReady === true) return open.text.toString();
  const { id: account } = await queryClient.ensureQueryData(meQuery);
  const copy = await deviceStore(account).load(draftId(noteId));
  return copy === null ? begun : textOfCopy(copy);
}

function openOutbox(account: string): Outbox {
  const isDurable = typeof indexedDB !== 'undefined' && isOwnDevice();
  const store: OutboxStore = isDurable ? new IndexedDbOutbox(indexedDB, account) : new TabOutbox();
  const channel = isDurable ? new BroadcastChannel('notevault-outbox') : null;
  const outbox = new Outbox({
    store,
    spare: new TabOutbox(),
    newId: () => crypto.randomUUID(),
    now: () => Date.now(),
    send: (entry, isFresh, record) =>
      replay(entry, {
        vault: clientOf(keysOf(entry.id)).vault(entry.vault),
        isFresh,
        record,
        textOf: textOfDraft,
        hashOf,
      }),
    hold,
    isHeld,
    exclusively: (run) => exclusively('notevault-outbox', run),
    isSameAccount: async () => (await api.me()).id === account,
    stateOfDraft: async ({ operation, doneAt }) => {
      if (operation.kind !== 'note') return 'left';
      if ((await textOfDraft(operation.noteId, operation.content)) !== operation.sent?.content) return 'changed';
      if (Date.now() - (doneAt ?? 0) < DRAFT_MS) return 'open';
      await forgetDraft(operation.noteId);
      return 'left';
    },
    announce: () => channel?.postMessage(null),
    done: ({ vault }) => void queryClient.invalidateQueries({ queryKey: keys.vault(vault) }),
    later(call) {
      const timer = setTimeout(call, AGAIN_MS);
      return () => clearTimeout(timer);
    },
  });
  channel?.addEventListener('message', () => outbox.check());
  outbox.state.subscribe(() => show(outbox));
  const connect = () => outbox.setConnected(navigator.onLine && session.state.get().status === 'in');
  connect();
  addEventListener('online', connect);
  addEventListener('offline', connect);
  session.state.subscribe(() => {
    connect();
    if (session.state.get().status !== 'out') return;
    outbox[Symbol.dispose]();
    setUnkept(outbox, false);
    if (opened?.outbox === outbox) opened = null;
    outboxState.set({ entries: [], isSending: false });
  });
  outbox.check();
  return outbox;
}

const HELD = 'notevault-outbox ';
const heldByTab = new Set<string>();

/** Holds an entry, and a lock for other tabs, which ends with this one. */
async function hold<T>(id: string, run: () => Promise<T>): Promise<T> {
  heldByTab.add(id);
  try {
    return await ((locks()?.request(HELD + id, run) as Promise<T> | undefined) ?? run());
  } finally {
    heldByTab.delete(id);
  }
}

async function isHeld(id: string): Promise<boolean> {
  if (heldByTab.has(id)) return true;
  return (await locks()?.query())?.held?.some(({ name }) => name === HELD + id) === true;
}

/** Publishes the pending entries, and applies them to the trees being shown. */
function show(outbox: Outbox): void {
  const before = outboxState.get().entries;
  const state = outbox.state.get();
  outboxState.set(state);
  void outbox.hasUnkept().then((isUnkept) => setUnkept(outbox, isUnkept));
  for (const vault of new Set(state.entries.map((entry) => entry.vault))) showIn(vault);
  for (const { id, operation, doneAt, vault, isBegun } of before) {
    const now = state.entries.find((entry) => entry.id === id);
    if (operation.kind === 'note' && (now === undefined || now.doneAt !== doneAt)) {
      const { noteId } = operation;
      // In this order: the page goes on with the draft until it has the note.
      void queryClient
        .fetchQuery({ ...noteQuery(vault, noteId), staleTime: 0 })
        .catch(() => undefined)
        .then(() => queryClient.invalidateQueries({ queryKey: keys.deviceNote(noteId) }));
    }
    // Undone operations are no longer shown.
    if (now === undefined && isBegun !== true) void queryClient.invalidateQueries({ queryKey: keys.tree(vault) });
  }
}

/** Applies the pending entries to the cached tree of a vault. */
function showIn(vault: string): void {
  const tree = queryClient.getQueryData<VaultTree>(keys.tree(vault));
  const waiting = outboxState.get().entries.filter((entry) => entry.vault === vault);
  if (tree === undefined || waiting.length === 0) return;
  const shown = treeWith(tree, waiting, () => new Date().toISOString());
  if (shown !== tree) queryClient.setQueryData(keys.tree(vault), shown);
}

// Wherever a tree comes from: the server, its feed, or this device.
queryClient.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'success') return;
  const [first, vault, name] = event.query.queryKey;
  if (first === 'vault' && typeof vault === 'string' && name === 'tree') showIn(vault);
});

async function hashOf(bytes: Blob): Promise<string | null> {
  // There is none in insecure contexts.
  const { subtle } = crypto as { readonly subtle?: SubtleCrypto };
  if (subtle === undefined) return null;
  const digest = new Uint8Array(await subtle.digest('SHA-256', await bytes.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
