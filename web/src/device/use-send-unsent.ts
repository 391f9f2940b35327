import { useEffect } from 'react';

/** Sends the edits that were left on this device, for as long as the component is there. */
export function useSendUnsent(): void {
  useEffect(() => {
    const ended = new AbortController();
    // The socket and its protocol are loaded after the page is shown.
    void import('./send-unsent.ts').then(({ sendUnsent }) => sendUnsent(ended.signal)).catch(() => undefined);
    return () => ended.abort();
  }, []);
}
