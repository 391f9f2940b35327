import { ApiError } from '@notevault/client/transport.ts';
import type { Preferences } from '@notevault/protocol/personal.ts';
import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';
import { rememberPreferences } from '../data/preferences.ts';
import { isConnected } from '../live/live-socket.ts';
import { asPreferences, takeSettings, unsentAfter, unsentSettings } from '../workspace/editor-settings.ts';

/**
 * Synchronises the editor settings between the account's devices until the signal aborts. The last change of each
 * setting wins. Changes made offline are sent on reconnecting.
 */
export function followSettings(queries: QueryClient, ended: AbortSignal): void {
  let isSending = false;
  const send = async () => {
    const changed = unsentSettings.get();
    if (isSending || Object.keys(changed).length === 0) return;
    isSending = true;
    const isUnsent = await remainsUnsent(rememberPreferences(queries, asPreferences(changed)));
    isSending = false;
    if (isUnsent || ended.aborted) return;
    unsentSettings.set(unsentAfter(unsentSettings.get(), changed));
    void send();
  };
  const take = () => takeSettings(queries.getQueryData<Preferences>(keys.preferences) ?? {});
  take();
  void send();
  const sendChanges = () => void send();
  const ends = [
    unsentSettings.subscribe(sendChanges),
    isConnected.subscribe(sendChanges),
    queries.getQueryCache().subscribe(({ type, query }) => {
      if (type === 'updated' && query.queryHash === JSON.stringify(keys.preferences)) take();
    }),
  ];
  addEventListener('online', sendChanges);
  ended.addEventListener('abort', () => {
    for (const end of ends) end();
    removeEventListener('online', sendChanges);
  });
}

/** The account has no room for them, or the server does not take them: they stay in this browser alone. */
const REFUSED: ReadonlySet<number> = new Set([413, 422]);

/** Whether what could not be sent is sent later. */
async function remainsUnsent(sending: Promise<void>): Promise<boolean> {
  try {
    await sending;
    return false;
  } catch (error) {
    return !(error instanceof ApiError && REFUSED.has(error.status));
  }
}
