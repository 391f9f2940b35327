import type { User } from '@notevault/protocol/accounts.ts';
import type { ActivityItem } from '@notevault/protocol/activity.ts';
import type { AdminUser } from '@notevault/protocol/admin.ts';
import type { DownloadList } from '@notevault/protocol/downloads.ts';
import type { DanglingLink } from '@notevault/protocol/links.ts';
import type { Mention } from '@notevault/protocol/mentions.ts';
import type { OpenedNotes } from '@notevault/protocol/personal.ts';
import type { SearchResult } from '@notevault/protocol/search.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import type { Task, TaskState } from '@notevault/protocol/tasks.ts';
import type { TrashItem } from '@notevault/protocol/trash.ts';
import type { VaultsResponse } from '@notevault/protocol/vaults.ts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ActivityParams, SearchParams } from '../page/search-params.ts';
import { BASE } from '../platform/base.ts';
import { transport } from '../session/app-session.ts';
import { api } from './client.ts';
import { keys } from './keys.ts';

/** The account. */
export const meQuery = queryOptions({ queryKey: keys.me, queryFn: (): Promise<User> => api.me() });

export const storageQuery = queryOptions({ queryKey: keys.storage, queryFn: () => api.storage() });

export const vaultsQuery = queryOptions({ queryKey: keys.vaults, queryFn: () => api.vaults() });

export const deletedVaultsQuery = queryOptions({
  queryKey: keys.deletedVaults,
  queryFn: async () => {
    const answer = await transport.json<VaultsResponse>({ method: 'GET', path: '/vaults', query: { deleted: true } });
    return answer.vaults;
  },
});

/** Connections are used by others, so it looks for what connects while a page shows them. */
export const connectionsQuery = queryOptions({
  queryKey: keys.connections,
  queryFn: () => api.connections(),
  refetchInterval: 5_000,
});

/** The names of what the server hands out; none if it hands out nothing. */
export const downloadsQuery = queryOptions({
  queryKey: keys.downloads,
  queryFn: async () => {
    const answer = await fetch(`${BASE}download/`, { headers: { accept: 'application/json' } });
    if (!answer.ok) return [];
    return ((await answer.json()) as DownloadList).files.map(({ name }) => name);
  },
});

/** Only admins may read it. */
export const healthQuery = queryOptions({ queryKey: keys.health, queryFn: () => api.admin.health() });

export const invitesQuery = queryOptions({ queryKey: keys.invites, queryFn: () => api.admin.invites() });

/** How many public links an account has. */
export const adminLinksQuery = (user: string) =>
  queryOptions({ queryKey: keys.adminLinks(user), queryFn: () => api.admin.countLinks(user) });

export const adminUsersQuery = infiniteQueryOptions({
  queryKey: keys.adminUsers,
  queryFn: ({ pageParam }) => api.admin.users(pageParam),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  select: ({ pages }): AdminUser[] => pages.flatMap(({ users }) => users),
});

/** Signals keep the tree current, so it is never stale by time. */
export function treeQuery(vault: string) {
  return queryOptions({
    queryKey: keys.tree(vault),
    queryFn: async ({ client, queryKey }): Promise<VaultTree> => {
      const tree = await api.vault(vault).tree();
      // Changes that arrived while it was read have been applied to the tree that is shown, which is then the newer one.
      const isOld = tree.change_seq < (client.getQueryData<VaultTree>(queryKey)?.change_seq ?? 0);
      return isOld ? api.vault(vault).tree() : tree;
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Comparing ten thousand rows with the old ones costs more than it saves.
    structuralSharing: false,
  });
}

/** Signals keep the graph current while it is shown. */
export function graphQuery(vault: string) {
  return queryOptions({
    queryKey: keys.graph(vault),
    queryFn: () => api.vault(vault).graph(),
    // Comparing ten thousand rows with the old ones costs more than it saves.
    structuralSharing: false,
  });
}

const RECENT = 100;

export function recentQuery(vault: string) {
  return queryOptions({ queryKey: keys.recent(vault), queryFn: () => api.vault(vault).recentNotes(RECENT) });
}

/** Notes the account opened last in a vault, on any device. */
export function openedQuery(vault: string) {
  return queryOptions({
    queryKey: keys.opened(vault),
    queryFn: async () => (await transport.json<OpenedNotes>({ method: 'GET', path: '/me/recent', vault })).notes,
    retry: false,
  });
}

export function tagsQuery(vault: string) {
  return queryOptions({ queryKey: keys.tags(vault), queryFn: () => api.vault(vault).tags() });
}

/** The server returns no more at once. */
const FOUND = 50;

function searchRequest({ q = '', folder, tag, mode }: SearchParams) {
  return {
    query: q,
    limit: FOUND,
    ...(folder === undefined ? {} : { folder }),
    ...(tag === undefined ? {} : { tags: [tag] }),
    ...(mode === undefined ? {} : { mode }),
  };
}

/** The best notes for a query. */
export function searchQuery(vault: string, params: SearchParams) {
  const request = searchRequest(params);
  return queryOptions({
    queryKey: keys.search(vault, request),
    queryFn: async (): Promise<SearchResult[]> => (await api.vault(vault).search(request)).results,
    enabled: request.query.trim() !== '',
  });
}

/** How long after an answer of an unfinished index the next one is asked for. */
const WHILE_INDEXED_MS = 3000;

/** All notes for a query, a page at a time. */
export function searchPages(vault: string, params: SearchParams) {
  const request = searchRequest(params);
  return infiniteQueryOptions({
    queryKey: keys.searchPages(vault, request),
    queryFn: ({ pageParam: cursor }) => api.vault(vault).search(cursor === null ? request : { ...request, cursor }),
    enabled: request.query.trim() !== '',
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // A note may come again when the vault changes between two pages.
    select: ({ pages }) => ({
      results: [
        ...new Map(pages.flatMap(({ results }) => results.map((result) => [result.id, result] as const))).values(),
      ],
      partial: pages.find(({ partial }) => partial !== undefined)?.partial,
    }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ partial }) => partial !== undefined) ? WHILE_INDEXED_MS : false,
  });
}

/** Notes with a tag, or with one below it. */
export function taggedQuery(vault: string, tag: string) {
  return searchPages(vault, { q: `tag:${tag}` });
}

/** The tasks of a vault, a page at a time: by day, those without one last. */
export function tasksQuery(vault: string, state: TaskState, tag: string | undefined) {
  const request = { state, ...(tag === undefined ? {} : { tag }) };
  return infiniteQueryOptions({
    queryKey: keys.tasks(vault, request),
    queryFn: ({ pageParam }) =>
      api.vault(vault).tasks({ ...request, ...(pageParam === null ? {} : { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    select: ({ pages }): Task[] => pages.flatMap(({ tasks }) => tasks),
  });
}

/** How many open tasks are due on a day or before, counted up to a page of them. */
export function dueQuery(vault: string, day: string) {
  const request = { state: 'open', due_before: day };
  return queryOptions({
    queryKey: keys.tasks(vault, request),
    queryFn: async () => {
      const { tasks, next_cursor } = await api.vault(vault).tasks(request);
      return { count: tasks.length, hasMore: next_cursor !== null };
    },
    retry: false,
  });
}

export function trashQuery(vault: string) {
  return infiniteQueryOptions({
    queryKey: keys.trash(vault),
    queryFn: ({ pageParam }) => api.vault(vault).trash(pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    select: ({ pages }): TrashItem[] => pages.flatMap(({ items }) => items),
  });
}

/** The activity of a vault, a page at a time, newest first. */
export function activityQuery(vault: string, filter: ActivityParams) {
  return infiniteQueryOptions({
    queryKey: keys.activity(vault, filter),
    queryFn: ({ pageParam }) =>
      api.vault(vault).activity({ ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // A write that continues an item moves it to the first page while older pages are read.
    select: ({ pages }): ActivityItem[] =>
      [
        ...new Map(pages.flatMap(({ items }) => items.map((item) => [item.id, item] as const)).reverse()).values(),
      ].reverse(),
  });
}

/** An activity with its changes and their differences. */
export function activityItemQuery(vault: string, item: string) {
  return queryOptions({
    queryKey: keys.activityItem(vault, item),
    queryFn: () => api.vault(vault).readActivity(item),
  });
}

/** Previews an undo; read each time it is shown, because anybody may have written since. */
export function undoPreviewQuery(vault: string, item: string) {
  return queryOptions({
    queryKey: keys.undoPreview(vault, item),
    queryFn: () => api.vault(vault).undoActivity(item, true),
    gcTime: 0,
    staleTime: 0,
  });
}

/** The links without a target, a page at a time. */
export function danglingQuery(vault: string) {
  return infiniteQueryOptions({
    queryKey: keys.dangling(vault),
    queryFn: ({ pageParam }) => api.vault(vault).dangling(pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    select: ({ pages }): DanglingLink[] => pages.flatMap(({ links }) => links),
  });
}

export function noteQuery(vault: string, note: string) {
  return queryOptions({ queryKey: keys.note(vault, note), queryFn: () => api.vault(vault).readNoteById(note) });
}

export function backlinksQuery(vault: string, note: string) {
  return queryOptions({
    queryKey: keys.backlinks(vault, note),
    queryFn: () => api.vault(vault).backlinksOf(note, true),
  });
}

export function mentionsQuery(vault: string, note: string) {
  return infiniteQueryOptions({
    queryKey: keys.mentions(vault, note),
    queryFn: ({ pageParam }) => api.vault(vault).mentionsOf(note, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    select: ({ pages }): Mention[] => pages.flatMap(({ mentions }) => mentions),
  });
}

export function versionsQuery(vault: string, note: string) {
  return queryOptions({ queryKey: keys.versions(vault, note), queryFn: () => api.vault(vault).versionsOf(note) });
}

/** A version never changes. */
export function versionQuery(vault: string, note: string, version: number) {
  return queryOptions({
    queryKey: keys.version(vault, note, version),
    queryFn: () => api.vault(vault).readVersion(note, version),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
