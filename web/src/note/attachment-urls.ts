import { api } from '../data/client.ts';

/** An address is used for less than the five minutes that a ticket holds. */
const HOLDS_MS = 4 * 60_000;

interface Held {
  readonly url: Promise<string>;
  readonly until: number;
}

const held = new Map<string, Held>();

/**
 * An address of an attachment that the elements of a page can load without a header. The same one is given again while
 * it holds, so that a picture that is drawn again is not loaded again.
 */
export function attachmentUrl(vault: string, path: string): Promise<string> {
  const key = `${vault}/${path}`;
  const known = held.get(key);
  if (known !== undefined && known.until > Date.now()) return known.url;
  const url = api
    .vault(vault)
    .createTicket({ operation: 'attachment.get', path })
    .then((ticket) => localAddress(ticket.url));
  held.set(key, { url, until: Date.now() + HOLDS_MS });
  url.catch(() => held.delete(key));
  return url;
}

/** The address on the origin of this page: the server names its public one, and the page may load only its own. */
function localAddress(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}

/** Uploads a file to a path where there is none, and reports how much was sent. Throws if it is refused or aborted. */
export async function uploadFile(
  vault: string,
  path: string,
  file: File,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const ticket = await api.vault(vault).createTicket({ operation: 'attachment.put', path, max_bytes: file.size });
  await new Promise<void>((resolve, reject) => {
    // `fetch` does not report what was sent.
    const request = new XMLHttpRequest();
    request.open(ticket.method, localAddress(ticket.url));
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('if-none-match', '*');
    request.setRequestHeader('x-mtime', (file.lastModified / 1000).toFixed(6));
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => (request.status < 300 ? resolve() : reject(new Error(`refused with ${request.status}`)));
    request.onerror = () => reject(new Error('the server cannot be reached'));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

/** A path for a new attachment of a note, that is not in use: in the folder `Attachments` beside the note. */
export function newAttachmentPath(notePath: string, name: string, isTaken: (path: string) => boolean): string {
  const folder = notePath.slice(0, notePath.lastIndexOf('/') + 1);
  const clean =
    name
      .replace(/[\\/:*?"<>|#^[\]\p{Cc}]/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim() || 'file';
  const dot = clean.lastIndexOf('.') > 0 ? clean.lastIndexOf('.') : clean.length;
  for (let count = 1; ; count++) {
    const path = `${folder}Attachments/${clean.slice(0, dot)}${count === 1 ? '' : ` ${count}`}${clean.slice(dot)}`;
    if (!isTaken(path)) return path;
  }
}
