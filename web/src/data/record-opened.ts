import { transport } from '../session/app-session.ts';
import { keys } from './keys.ts';
import { queryClient } from './query-client.ts';

/** Remembers that the account opened a note. It is no more than a convenience, so a failure is passed over. */
export function recordOpened(vault: string, note: string): void {
  const call = { method: 'POST', path: '/me/recent', vault, json: { note_id: note }, repeatable: false } as const;
  transport.send(call).then(
    () => void queryClient.invalidateQueries({ queryKey: keys.opened(vault) }),
    () => undefined,
  );
}
