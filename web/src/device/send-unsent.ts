import { api } from '../data/client.ts';
import { keepLists, keptLists, readShownAgain } from '../data/current-lists.ts';
import { keys } from '../data/keys.ts';
import { meQuery } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import { type DeviceStore, sendKeptEdits, unsentSender } from '../editor/device.ts';
import { isConnected, liveSocket } from '../live/live-socket.ts';
import { keepApp } from '../media/media-worker-client.ts';
import { session } from '../session/app-session.ts';
import { keepAccount } from '../session/kept-account.ts';
import { isOwnDevice } from '../session/own-device.ts';
import { exclusively } from '../session/session-channel.ts';
import { workspace } from '../workspace/workspace.ts';
import { deviceStore } from './device-store.ts';
import { currentOutbox } from './outbox/current-outbox.ts';
import { knowsDraft, noteOfDraft } from './outbox/outbox-state.ts';
import { followSettings } from './send-settings.ts';
import { sessionOptions } from './session-options.ts';
import { setUnkept } from './unkept.ts';
import { showUnsent, unsentWish } from './unsent-state.ts';
import { openedOutbox } from './wipe.ts';

/** Time after which a note whose edits were not acknowledged is retried later. */
const SEND_MS = 30_000;
const AGAIN_MS = 30_000;
/** How often a server is asked that was away when the app was opened. */
const CHECK_MS = 5_000;

/** Sends the account's unsent edits on this device until the signal aborts. */
export async function sendUnsent(ended: AbortSignal): Promise<void> {
  const { id: account } = await queryClient.ensureQueryData(meQuery);
  const store = deviceStore(account);
  const outbox = await currentOutbox();
  if (ended.aborted) return;
  followSession(account, ended);
  tidyVaults(account, store, ended);
  followSettings(queryClient, ended);
  if (isOwnDevice()) {
    void keepApp();
    void import('./kept/current-kept.ts').then(({ followKept }) => followKept(account, ended));
  }
  const others = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('notevault-unsent');
  const tell = () => others?.postMessage(null);
  const sender = unsentSender({
    store,
    send: (note, signal) =>
      sendKeptEdits(sessionOptions(note, account, store), AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)])),
    exclusively: (run) => exclusively('notevault-unsent', run),
    // Another tab may have signed in as somebody else meanwhile.
    isSameAccount: async () => (await api.me()).id === account,
    // The outbox sends drafts.
    isSentElsewhere: async ({ id, unsent }) => knowsDraft(noteOfDraft(id) ?? '') || (await workspace.sends(id, unsent)),
    announce: tell,
    show(state) {
      showUnsent(state);
      if (!store.isDurable) setUnkept(store, state.notes.length > 0);
      // Pages that do without a connection then need one.
      if (state.notes.length > 0) liveSocket();
    },
    later(call) {
      const timer = setTimeout(call, AGAIN_MS);
      return () => clearTimeout(timer);
    },
  });
  const checkAgain = () => sender.check();
  const followConnection = () => {
    if (!isConnected.get()) return sender.disconnected();
    readShownAgain(queryClient);
    outbox.check();
    sender.connected();
  };
  followConnection();
  const endConnection = isConnected.subscribe(followConnection);
  const endWishes = unsentWish.subscribe(() => {
    const { note } = unsentWish.get();
    if (note === undefined) sender.check();
    else sender.sendNow(note);
    tell();
  });
  others?.addEventListener('message', checkAgain);
  // Other tabs send this tab's unsent edits. A tab that crashes tells nobody, and is noticed later.
  addEventListener('pagehide', tell);
  document.addEventListener('visibilitychange', checkAgain);
  ended.addEventListener('abort', () => {
    sender[Symbol.dispose]();
    endConnection();
    endWishes();
    others?.close();
    removeEventListener('pagehide', tell);
    document.removeEventListener('visibilitychange', checkAgain);
    showUnsent({ notes: [], isSending: false });
  });
}

/** Caches the account's lists for offline use, and retries the session while the server is unreachable. */
function followSession(account: string, ended: AbortSignal): void {
  keepLists(queryClient, ended);
  const reconnect = () => {
    if (session.state.get().status === 'unreachable') void session.start();
  };
  const follow = () => {
    if (session.state.get().status !== 'in') return;
    keepAccount(account);
    readShownAgain(queryClient);
  };
  follow();
  const timer = setInterval(reconnect, CHECK_MS);
  const endStates = session.state.subscribe(follow);
  addEventListener('online', reconnect);
  ended.addEventListener('abort', () => {
    clearInterval(timer);
    endStates();
    removeEventListener('online', reconnect);
  });
}

/** Removes the copies of vaults that the account has no more: at the start, and when one is gone from their list. */
function tidyVaults(account: string, store: DeviceStore, ended: AbortSignal): void {
  // The server is asked: a list that this device shows in its place may lack a vault that is new.
  const tidy = async (before: readonly { readonly id: string }[]) => {
    const vaults = await api.vaults();
    const ids = new Set(vaults.map(({ id }) => id));
    for (const { id } of before) if (!ids.has(id)) queryClient.removeQueries({ queryKey: keys.vault(id) });
    await store.tidy(ids);
    await keptLists().tidy(ids);
    if (isOwnDevice()) await (await openedOutbox(account))?.tidy(Date.now());
    if (isOwnDevice()) await (await import('./kept/current-kept.ts')).tidyKept(ids);
  };
  const listed = () => queryClient.getQueryData<readonly { readonly id: string }[]>(keys.vaults) ?? [];
  let before = listed();
  const endEvents = queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryHash !== JSON.stringify(keys.vaults)) return;
    const now = new Set(listed().map(({ id }) => id));
    if (before.some(({ id }) => !now.has(id))) void tidy(before).catch(() => undefined);
    before = listed();
  });
  ended.addEventListener('abort', endEvents);
  void tidy([]).catch(() => undefined);
}
