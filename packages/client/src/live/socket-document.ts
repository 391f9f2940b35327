import { HocuspocusProvider, type HocuspocusProviderWebsocket, MessageType } from '@hocuspocus/provider';
import { createDecoder, readVarString, readVarUint } from 'lib0/decoding';
import type { Doc } from 'yjs';
import type { TokenSource } from '../tokens.ts';
import { ApiError } from '../transport.ts';

/** What a document over the socket reports. */
export interface DocumentEvents {
  /** The server has let this client in, again after each reconnection. */
  authorized(scope: 'read-write' | 'readonly'): void;
  /** Something changed that the state of the document is made of. */
  changed(): void;
  /** The server will not serve this document again; `reason` is the code that it gave. */
  ended(reason: string): void;
  /** The server refused an edit; it stays in this document only. */
  rejected(): void;
  /** A message of the server beside the document. */
  message(payload: string): void;
}

/**
 * A document in the Hocuspocus provider. A token that is refused is replaced once, by that of the token source; a second
 * refusal ends the document.
 */
export function openDocument(
  socket: HocuspocusProviderWebsocket,
  name: string,
  document: Doc,
  tokens: TokenSource,
  events: DocumentEvents,
): HocuspocusProvider {
  let sent: string | null = null;
  let isRefreshed = false;
  const provider = new HocuspocusProvider({
    websocketProvider: socket,
    name,
    document,
    // Several documents of one name, such as two tabs, share a socket.
    sessionAwareness: true,
    async token() {
      sent = await tokens.token();
      return sent ?? '';
    },
    onAuthenticated({ scope }) {
      isRefreshed = false;
      events.authorized(scope === 'readonly' ? 'readonly' : 'read-write');
    },
    onAuthenticationFailed({ reason }) {
      if (isRefreshed || reason === 'revoked') return events.ended(reason);
      isRefreshed = true;
      void tokens.refresh(sent, new ApiError(401, { error: reason }, null)).then(
        () => authenticate(provider),
        () => events.ended(reason),
      );
    },
    onSynced: () => events.changed(),
    onUnsyncedChanges: () => events.changed(),
    onStateless: ({ payload }) => events.message(payload),
    onMessage({ event }) {
      if (isRejection(new Uint8Array(event.data as ArrayBuffer))) events.rejected();
    },
  });
  provider.on('close', ({ event }: { event: { code: number; reason: string } }) => {
    // The end of one document, in contrast to that of the whole socket, has a reason and the code 1000.
    if (event.code === 1000 && event.reason !== '') events.ended(event.reason);
    else events.changed();
  });
  provider.attach();
  return provider;
}

async function authenticate(provider: HocuspocusProvider): Promise<void> {
  await provider.sendToken();
  provider.startSync();
}

/** Whether a message is the answer that an edit was refused: name, SyncStatus, 0. */
function isRejection(message: Uint8Array): boolean {
  const decoder = createDecoder(message);
  readVarString(decoder);
  return readVarUint(decoder) === MessageType.SyncStatus && readVarUint(decoder) === 0;
}
