import { DANGLING_PAGE, DanglingLinks, DanglingQuery } from '@notevault/protocol/links.ts';
import * as schema from '@notevault/protocol/sync.ts';
import { answerBytes } from '../../../http/answers/answer-bytes.ts';
import { limitParam } from '../../../http/params.ts';
import { type Route, route } from '../../../http/route.ts';
import type { Sync } from './sync.ts';

export function syncRoutes(sync: Sync): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sync/manifest',
      operation: 'getManifest',
      summary: 'Get the manifest: every live note and attachment with hash, head and seq, from one snapshot',
      compresses: true,
      revalidates: 'vault',
      answerBytes: answerBytes.page,
      query: schema.ManifestQuery,
      responses: { 200: schema.Manifest },
      errors: ['note_unreadable', 'attachment_unreadable'],
      handle: async ({ vault, query }) => {
        const manifest = await sync.manifest(vault, query.since_seq, query.unreadable);
        if ('json' in manifest) return { json: manifest.json };
        return { body: { unchanged: true, change_seq: manifest.unchanged } };
      },
    }),
    route({
      method: 'GET',
      path: '/sync/changes',
      operation: 'listChanges',
      summary: 'List the changes after a cursor, by seq; the cursor is recorded as applied by the device',
      compresses: true,
      answerBytes: answerBytes.page,
      query: schema.ChangesQuery,
      responses: { 200: schema.SyncChanges },
      errors: ['invalid_cursor', 'history_expired', 'validation'],
      handle: async ({ vault, query, device }) => ({ json: await sync.changes(vault, query, device) }),
    }),
    route({
      method: 'POST',
      path: '/sync/known',
      operation: 'findKnownNotes',
      summary:
        'Find out which of up to 500 texts are those of the notes at their paths, or of earlier versions of them',
      answerBytes: answerBytes.write,
      body: schema.KnownNotesRequest,
      responses: { 200: schema.KnownNotes },
      errors: ['too_many_notes', 'validation'],
      handle: async ({ vault, body }) => ({ body: { notes: await sync.known(vault, body) } }),
    }),
    route({
      method: 'GET',
      path: '/vault/tree',
      operation: 'getVaultTree',
      summary: 'Get the file tree: every folder, note and attachment',
      compresses: true,
      revalidates: 'vault',
      answerBytes: answerBytes.page,
      query: schema.TreeQuery,
      responses: { 200: schema.VaultTree },
      errors: ['note_unreadable', 'attachment_unreadable'],
      handle: async ({ vault, query }) => ({ json: await sync.tree(vault, query.unreadable) }),
    }),
    route({
      method: 'GET',
      path: '/vault/graph',
      operation: 'getVaultGraph',
      summary: 'Get the graph: every note, and which notes link to which',
      compresses: true,
      revalidates: 'vault',
      answerBytes: answerBytes.page,
      responses: { 200: schema.VaultGraph },
      errors: ['note_unreadable'],
      handle: async ({ vault }) => ({ json: await sync.graph(vault) }),
    }),
    route({
      method: 'GET',
      path: '/vault/dangling',
      operation: 'listDanglingLinks',
      summary: 'List the links without a target, with notes of similar names',
      compresses: true,
      revalidates: 'vault',
      query: DanglingQuery,
      responses: { 200: DanglingLinks },
      errors: ['invalid_cursor'],
      handle: async ({ vault, query }) => ({
        body: await sync.dangling(vault, query.cursor ?? null, limitParam(query.limit, DANGLING_PAGE, DANGLING_PAGE)),
      }),
    }),
  ];
}
