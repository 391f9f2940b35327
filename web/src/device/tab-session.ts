import { session } from '../session/app-session.ts';
import { wipeBrowser } from './wipe.ts';

// On a device of others nothing outlives the tab: see own-device.ts.

const LEFT = 'notevault-left';
/** A page that is opened later in the same tab is not a reload: somebody has brought a closed tab back. */
const RELOAD_MS = 30_000;
const ANSWER_MS = 500;
const AGAIN_MS = 2_000;

let tabs: BroadcastChannel | null = null;

/** Answers other tabs while this one is signed in, and records when it is left. */
export function watchTab(): BroadcastChannel {
  if (tabs !== null) return tabs;
  const channel = new BroadcastChannel('notevault-tabs');
  channel.addEventListener('message', ({ data }) => {
    if (data === 'who' && session.state.get().status === 'in') channel.postMessage('here');
  });
  addEventListener('pagehide', () => sessionStorage.setItem(LEFT, String(Date.now())));
  tabs = channel;
  return channel;
}

/** Goes on with a session that this tab, or another one that is still open, began. Ends every other one. */
export async function startInTab(): Promise<void> {
  const left = Number(sessionStorage.getItem(LEFT));
  const channel = watchTab();
  const isReload = left > 0 && Date.now() - left < RELOAD_MS;
  if (isReload || (await hasOthers(channel))) return session.start();
  await wipeBrowser(undefined);
  await session.signOut().catch(() => {
    setTimeout(() => void startInTab(), AGAIN_MS);
  });
}

function hasOthers(channel: BroadcastChannel): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ANSWER_MS);
    channel.addEventListener('message', ({ data }) => {
      if (data !== 'here') return;
      clearTimeout(timer);
      resolve(true);
    });
    channel.postMessage('who');
  });
}
