/** Reply of a frame. The page reads it with `readReport`. */
export type Reply = { readonly type: 'drawn'; readonly width: number; readonly height: number };

/** Tells the page that the frame is ready, and answers its requests. */
export function listen(draw: (request: Readonly<Record<string, unknown>>) => Promise<Reply>): void {
  addEventListener('message', (event) => {
    // Only the page around the frame may send requests.
    if (event.source !== parent || typeof event.data !== 'object' || event.data === null) return;
    draw(event.data).then(
      (reply) => parent.postMessage(reply, '*'),
      (error: unknown) => parent.postMessage({ type: 'failed', message: String(error) }, '*'),
    );
  });
  parent.postMessage({ type: 'ready' }, '*');
}
