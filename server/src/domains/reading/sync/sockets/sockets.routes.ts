import { SocketParams } from '@notevault/protocol/sync.ts';
import { type SocketRoute, socketRoute } from '../../../../http/connections/sockets.ts';
import type { Collaboration } from './collaboration.ts';

export function socketRoutes(collaboration: Collaboration): SocketRoute[] {
  return [
    socketRoute({
      path: '/sync/socket',
      operation: 'syncSocket',
      summary: 'Open live documents, many over one WebSocket',
      description:
        'The wire protocol of the Hocuspocus provider (version 4): a document’s name is its note’s id, and its own authentication message carries the token. `vault:<id>` is an empty document that signals changes. Rules: docs/sync-spec.md, sections 7 to 9.',
      open: (connection, { ip, userAgent }) => collaboration.openHocuspocus(connection, { ip, userAgent }),
    }),
    socketRoute({
      path: '/sync/notes/:id',
      operation: 'syncNote',
      summary: 'Open one live document over a WebSocket',
      description:
        'The y-websocket protocol for one note. The credential is in the Authorization header or, for sessions, PATs and API keys, in `?token=`. Close codes: 4401 credential, 4403 update from a read-only client or vault taken away, 4404 no such note, 4409 foreign document, 4413 note too large. Rules: docs/sync-spec.md, section 10.',
      params: SocketParams,
      open: (connection, { ip, userAgent, authorization, token, params }) =>
        collaboration.openYWebsocket(connection, { ip, userAgent }, params.id, { authorization, token }),
    }),
  ];
}
