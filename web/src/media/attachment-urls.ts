import { api } from '../data/client.ts';
import { localAddress } from '../data/local-address.ts';
import { mediaAddress } from './media-address.ts';
import { startMediaWorker } from './media-worker-client.ts';

/** An address is used for less than the five minutes that a ticket holds. */
const HOLDS_MS = 4 * 60_000;

interface CachedUrl {
  readonly url: Promise<string>;
  readonly until: number;
}

const cached = new Map<string, CachedUrl>();

/**
 * An address of an attachment that the elements of a page can load without a header: one that the media worker answers,
 * or a ticket where there is no worker.
 */
export async function attachmentUrl(vault: string, path: string): Promise<string> {
  return (await startMediaWorker()) ? mediaAddress(vault, path) : ticketUrl(vault, path);
}

/**
 * An address of an attachment that anything can load for a few minutes. The same one is given again while it holds, so
 * that a picture that is drawn again is not loaded again.
 */
export function ticketUrl(vault: string, path: string): Promise<string> {
  const key = `${vault}/${path}`;
  const known = cached.get(key);
  if (known !== undefined && known.until > Date.now()) return known.url;
  const url = api
    .vault(vault)
    .createTicket({ operation: 'attachment.get', path })
    .then((ticket) => localAddress(ticket.url));
  cached.set(key, { url, until: Date.now() + HOLDS_MS });
  url.catch(() => cached.delete(key));
  return url;
}
