import { NoteSession, type SessionOptions } from './note-session.ts';
import type { SaveProblem } from './save-state.ts';

/**
 * Sends what this device kept of a note that nobody has open. Resolves to why the server will not take it; null once it
 * was acknowledged and is recorded so. Throws the reason of the signal. The documents are merged: what the server has of
 * it already changes nothing.
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
