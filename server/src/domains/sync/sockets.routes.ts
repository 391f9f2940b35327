import { Type } from 'typebox';
import { type SocketRoute, socketRoute } from '../../http/sockets.ts';
import type { Doors } from './doors.ts';

const NoteParams = Type.Object({ id: Type.String({ description: 'The note.' }) });

export function socketRoutes(doors: Doors): SocketRoute[] {
  return [
    socketRoute({
      path: '/sync/socket',
      operation: 'syncSocket',
      summary: 'Live documents, many over one WebSocket',
      description:
        'The wire protocol of the Hocuspocus provider (version 4): a document is named by its note’s id and let in by the token in its own authentication message. `vault:<id>` is an empty document that signals changes. Rules: docs/sync-spec.md, sections 7 to 9.',
      open: (peer, { ip, userAgent }) => doors.openMany(peer, { ip, userAgent }),
    }),
    socketRoute({
      path: '/sync/notes/:id',
      operation: 'syncNote',
      summary: 'One live document over a WebSocket',
      description:
        'The y-websocket protocol for one note. The credential is in the Authorization header or, for sessions, PATs and API keys, in `?token=`. Close codes: 4401 credential, 4403 update from a read-only client, 4404 no such note, 4409 foreign document, 4413 note too large. Rules: docs/sync-spec.md, section 10.',
      params: NoteParams,
      open: (peer, { ip, userAgent, authorization, token, params }) =>
        doors.openOne(peer, { ip, userAgent }, params.id, { authorization, token }),
    }),
  ];
}
