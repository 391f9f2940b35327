import type { User } from '@notevault/protocol/accounts.ts';
import type { TrashItem } from '@notevault/protocol/trash.ts';
import type { VaultsResponse } from '@notevault/protocol/vaults.ts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
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

/** Signals keep the tree current, so it is never stale by time. */
export function treeQuery(vault: string) {
  return queryOptions({
    queryKey: keys.tree(vault),
    queryFn: () => api.vault(vault).tree(),
    staleTime: Number.POSITIVE_INFINITY,
    // Comparing ten thousand rows with the old ones costs more than it saves.
    structuralSharing: false,
  });
}

const RECENT = 100;

export function recentQuery(vault: string) {
  return queryOptions({ queryKey: keys.recent(vault), queryFn: () => api.vault(vault).recentNotes(RECENT) });
}

export function tagsQuery(vault: string) {
  return queryOptions({ queryKey: keys.tags(vault), queryFn: () => api.vault(vault).tags() });
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

export function noteQuery(vault: string, note: string) {
  return queryOptions({ queryKey: keys.note(vault, note), queryFn: () => api.vault(vault).readNoteById(note) });
}

export function backlinksQuery(vault: string, note: string) {
  return queryOptions({ queryKey: keys.backlinks(vault, note), queryFn: () => api.vault(vault).backlinksOf(note) });
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
