import { HocuspocusProvider, type HocuspocusProviderWebsocket, MessageType } from '@hocuspocus/provider';
import { createDecoder, readVarString, readVarUint } from 'lib0/decoding';
import type { Doc } from 'yjs';
import { DISPOSE } from '../dispose.ts';
import type { TokenSource } from '../tokens.ts';
import { ApiError } from '../transport.ts';
import { Refusals } from './refusals.ts';

/** The kind of a sync message that asks for what the sender lacks (y-protocols). */
const SYNC_STEP_1 = 0;

/** Callbacks of a document that is open over the socket. */
export interface DocumentEvents {
  /** The server has let this client in, again after each reconnection. */
  authorized(scope: 'read-write' | 'readonly'): void;
  /** Something changed that the state of the document is made of. */
  changed(): void;
  /** The server will not serve this document again; `reason` is the code that it gave. */
  ended(reason: string): void;
  /** The server refused an edit; it stays in this document only. */
  readonly rejected: () => void;
  /** A message of the server beside the document. */
  message(payload: string): void;
}

/**
 * Returns a document in the Hocuspocus provider. A token that is refused is replaced once, by that of the token source;
 * a second refusal ends the document.
 */
export function openDocument(
  socket: HocuspocusProviderWebsocket,
  name: string,
  document: Doc,
  tokens: TokenSource,
  events: DocumentEvents,
  gatherMs = 0,
): HocuspocusProvider {
  let sent: string | null = null;
  let isRefreshed = false;
  const refusals = new Refusals(events.rejected);
  const provider = new HocuspocusProvider({
    websocketProvider: socket,
    name,
    document,
    // Several documents of one name, such as two tabs, share a socket.
    sessionAwareness: true,
    flushDelay: gatherMs,
    async token() {
      sent = await tokens.token();
      // The provider counts anew from here on what is not acknowledged, and would not count what waits.
      provider.flushPendingUpdates();
      return sent ?? '';
    },
    onAuthenticated({ scope }) {
      isRefreshed = false;
      refusals.begin();
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
      const kind = kindOf(new Uint8Array(event.data as ArrayBuffer));
      if (kind === 'refusal') refusals.refused();
      else if (kind === 'question') refusals.asked();
    },
    onDestroy: () => refusals[DISPOSE](),
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

/**
 * Returns whether a message says that an edit was not applied (SyncStatus 0), or asks for what the server lacks (sync
 * step 1).
 */
function kindOf(message: Uint8Array): 'refusal' | 'question' | null {
  const decoder = createDecoder(message);
  readVarString(decoder);
  const type: MessageType = readVarUint(decoder);
  if (type === MessageType.SyncStatus) return readVarUint(decoder) === 0 ? 'refusal' : null;
  return type === MessageType.Sync && readVarUint(decoder) === SYNC_STEP_1 ? 'question' : null;
}
