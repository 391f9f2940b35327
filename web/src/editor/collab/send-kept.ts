import { NoteSession, type SessionOptions } from './note-session.ts';
import type { SaveProblem } from './save-state.ts';

/**
 * Sends this device's edits of a note that is not open. Resolves to the reason of a refusal, or null once the edits are
 * acknowledged and recorded as sent. Throws the signal's reason. Documents are merged, so edits that the server already
 * has change nothing.
 */
export async function sendKept(options: SessionOptions, signal: AbortSignal): Promise<SaveProblem | null> {
  using session = new NoteSession(options);
  const { promise, resolve, reject } = Promise.withResolvers<SaveProblem | null>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  session.changes.subscribe(() => {
    const { problem, hasUnsent, isConnected } = session.state;
    if (problem !== null) resolve(problem);
    else if (isConnected && !hasUnsent) resolve(null);
  });
  try {
    signal.throwIfAborted();
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    await session.kept();
  }
}
