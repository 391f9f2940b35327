import { ApiError, ConnectionError } from '@notevault/client/transport.ts';

export interface SentBytes {
  readonly method: string;
  /** An address of this origin. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Blob;
  readonly signal: AbortSignal;
  /** Called with the number of bytes that were sent so far. */
  onProgress(sent: number): void;
}

/**
 * Sends bytes and reports how many were sent, which `fetch` does not. Resolves to the JSON of the answer. Throws
 * ApiError, ConnectionError, and the reason of the signal.
 */
export function sendBytes<Answer>({ method, url, headers, bytes, signal, onProgress }: SentBytes): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => {
      const body = jsonOf(request.responseText);
      if (request.status < 300) resolve(body as Answer);
      else reject(new ApiError(request.status, body, request.getResponseHeader('x-request-id')));
    };
    request.onerror = () => reject(new ConnectionError('the server cannot be reached'));
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort, { once: true });
    request.send(bytes);
  });
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
