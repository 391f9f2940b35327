import { useSyncExternalStore } from 'react';
import { session } from './app-session.ts';
import type { SessionState } from './session.ts';

/** The state of the session, as it changes. */
export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, () => session.state);
}
