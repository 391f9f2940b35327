import { useObservable } from '../platform/use-observable.ts';
import { session } from './app-session.ts';
import type { SessionState } from './session.ts';

/** The state of the session, as it changes. */
export function useSession(): SessionState {
  return useObservable(session.state);
}
