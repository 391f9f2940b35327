import { Type } from 'typebox';
import { answerBytes } from '../../http/answer-bytes.ts';
import { type Route, route } from '../../http/route.ts';
import { Manifest, SyncChanges, VaultTree } from './sync.schema.ts';
import type { Sync } from './sync.ts';

export function syncRoutes(sync: Sync): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sync/manifest',
      operation: 'getManifest',
      summary: 'Every live note and attachment with hash, head and seq, of one moment',
      access: 'read',
      answerBytes: answerBytes.page,
      query: Type.Object({
        since_seq: Type.Optional(
          Type.Unsafe<unknown>({
            description: 'The change_seq of an earlier manifest: while it is current, nothing else is answered.',
          }),
        ),
      }),
      responses: { 200: Manifest },
      errors: ['note_unreadable', 'attachment_unreadable'],
      handle: async ({ vault, query }) => {
        const manifest = await sync.manifest(vault, query.since_seq);
        if ('json' in manifest) return { json: manifest.json };
        return { body: { unchanged: true, change_seq: manifest.unchanged } };
      },
    }),
    route({
      method: 'GET',
      path: '/sync/changes',
      operation: 'listChanges',
      summary: 'What was written after a position, by seq; the cursor sent is recorded as applied by the device',
      access: 'read',
      answerBytes: answerBytes.page,
      query: Type.Object({
        cursor: Type.Optional(
          Type.String({ description: 'A `next_cursor` or `resume_cursor`; absent: from the start.' }),
        ),
        limit: Type.Optional(Type.String({ description: 'An integer: rows on the page, 1 to 500. Default 100.' })),
        fields: Type.Optional(
          Type.String({ description: '`meta`, the default, or `all`, with the content of notes.' }),
        ),
      }),
      responses: { 200: SyncChanges },
      errors: ['invalid_cursor', 'history_expired', 'note_unreadable', 'attachment_unreadable', 'validation'],
      handle: async ({ vault, query, device }) => ({ body: await sync.changes(vault, query, device) }),
    }),
    route({
      method: 'GET',
      path: '/vault/tree',
      operation: 'getVaultTree',
      summary: 'Every folder, note and attachment, as a file tree shows them',
      access: 'read',
      answerBytes: answerBytes.page,
      responses: { 200: VaultTree },
      errors: ['note_unreadable', 'attachment_unreadable'],
      handle: async ({ vault }) => ({ json: await sync.tree(vault) }),
    }),
  ];
}
