import { ApiError } from '@notevault/client/transport.ts';
import type { SyncChange, VaultTree } from '@notevault/protocol/sync.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import type { QueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { api } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { treeQuery } from '../data/queries.ts';
import { roleOf } from '../data/role.ts';
import { patchTree } from '../data/tree/tree-patch.ts';
import { loadTexts } from '../i18n/i18n.ts';
import { showToast } from '../ui/feedback/toast.ts';
import { liveSocket } from './live-socket.ts';
import { type NewOwner, newOwnerOf } from './new-owner.ts';

/** Signals may be missing; then the feed is read after this time. */
const AT_MOST_MS = 60_000;
/** Lists are read again at most this often while somebody types. */
const LISTS_MS = 1_500;
const TREE_MS = 2_000;
/** The graph is read as a whole. */
const GRAPH_MS = 4_000;
const AFTER_FAILURE_MS = 5_000;
/**
 * Time during which the signal after opening a vault does not read its members again, as opening has just read them.
 */
const JUST_READ_MS = 5_000;

/** Keeps the cached data of a vault current until the signal aborts. */
export async function followVault(vault: string, queries: QueryClient, aborted: AbortSignal): Promise<void> {
  using signals = liveSocket().watch(vault);
  using lists = throttled(() => void queries.invalidateQueries({ queryKey: keys.lists(vault) }), LISTS_MS);
  using tree = throttled(() => void queries.invalidateQueries({ queryKey: keys.tree(vault) }), TREE_MS);
  using graph = throttled(() => void queries.invalidateQueries({ queryKey: keys.graph(vault) }), GRAPH_MS);
  let isSignalled = false;
  let seen = 0;
  // It begins with one signal; the next is that of the connection.
  await signals.next(0);
  let isOpening = Date.now() - (queries.getQueryState(keys.vaults)?.dataUpdatedAt ?? 0) < JUST_READ_MS;
  while (!aborted.aborted) {
    try {
      const page = await api.vault(vault).changes(storedCursor(vault) ?? (await cursorOfTree(vault, queries)));
      if (page === null) {
        sessionStorage.removeItem(cursorName(vault));
        await queries.fetchQuery({ ...treeQuery(vault), staleTime: 0 });
        continue;
      }
      if (isOtherAccess(vault, queries, page.access))
        void queries.invalidateQueries({ queryKey: keys.vaults, exact: true });
      const isStructural = applyChanges(vault, queries, page.changes);
      if (page.changes.length > 0) {
        lists();
        graph();
      }
      // The feed does not name folders: empty ones are read with the tree.
      const treeSeq = queries.getQueryData<VaultTree>(keys.tree(vault))?.change_seq ?? 0;
      seen = Math.max(seen, treeSeq, ...page.changes.map(({ seq }) => seq));
      const isEmpty = page.changes.length === 0;
      if (isStructural || (isEmpty && (page.change_seq ?? 0) > seen)) tree();
      // Nor does it name the people.
      if (isSignalled && isEmpty) void rereadPeople(vault, queries);
      sessionStorage.setItem(cursorName(vault), page.resume_cursor);
      if (page.has_more) continue;
      const since = performance.now();
      await signals.next(AT_MOST_MS, aborted);
      isSignalled = !isOpening && performance.now() - since < AT_MOST_MS;
      isOpening = false;
    } catch (error) {
      // Somebody took the vault away, or deleted it: the list of vaults tells.
      if (error instanceof ApiError && error.status === 404) {
        void queries.invalidateQueries({ queryKey: keys.vaults, exact: true });
      }
      // The server is away or the session ended; a signal follows when it is back.
      await signals.next(AFTER_FAILURE_MS, aborted);
      isSignalled = isOpening = false;
    }
  }
}

/** Whether the feed knows of another right to write than the list of vaults. */
function isOtherAccess(vault: string, queries: QueryClient, access: 'read' | 'write' | undefined): boolean {
  const known = queries.getQueryData<readonly Vault[]>(keys.vaults)?.find(({ id }) => id === vault);
  return access !== undefined && known !== undefined && (access === 'write') !== (roleOf(known) !== 'viewer');
}

/** Applies changes to the cached data; returns whether the tree changed. */
function applyChanges(vault: string, queries: QueryClient, changes: readonly SyncChange[]): boolean {
  const old = queries.getQueryData<VaultTree>(keys.tree(vault));
  if (old === undefined || changes.length === 0) return false;
  const next = patchTree(old, changes);
  if (next !== old) queries.setQueryData(keys.tree(vault), next);
  for (const { id, seq } of changes) {
    if (seq > old.change_seq) void queries.invalidateQueries({ queryKey: keys.note(vault, id) });
  }
  return next !== old;
}

/** Returns the feed position of the shown tree, which includes every change before it. */
async function cursorOfTree(vault: string, queries: QueryClient): Promise<string | null> {
  return (await queries.ensureQueryData(treeQuery(vault))).resume_cursor ?? null;
}

function cursorName(vault: string): string {
  return `notevault-cursor-${vault}`;
}

/** The position in the feed up to which this tab has applied it. */
function storedCursor(vault: string): string | null {
  return sessionStorage.getItem(cursorName(vault));
}

/** Runs a function soon after it is asked for, and then at most once in each interval. */
function throttled(run: () => void, intervalMs: number): (() => void) & Disposable {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const ask = () => {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      run();
    }, intervalMs);
  };
  return Object.assign(ask, {
    [Symbol.dispose]() {
      if (timer !== null) clearTimeout(timer);
    },
  });
}

const vaultIn = (queries: QueryClient, id: string) =>
  queries.getQueryData<readonly Vault[]>(keys.vaults)?.find((vault) => vault.id === id) ?? null;

/** Refetches a vault's members, and tells the user if the owner changed. */
async function rereadPeople(id: string, queries: QueryClient): Promise<void> {
  const before = vaultIn(queries, id);
  await Promise.all([
    queries.invalidateQueries({ queryKey: keys.vaults, exact: true }),
    queries.invalidateQueries({ queryKey: keys.members(id) }),
  ]);
  const owner = newOwnerOf(before, vaultIn(queries, id));
  if (owner !== null) await tell(owner);
}

async function tell(owner: NewOwner): Promise<void> {
  await loadTexts('sharing');
  const t = i18next.getFixedT(i18next.language, 'sharing');
  const text = owner === 'you' ? t('ownerYou') : t('handedOver', { name: owner.name ?? t('somebody') });
  showToast({ kind: 'plain', text });
}
