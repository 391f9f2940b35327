import type { DownloadList } from '@notevault/protocol/downloads.ts';
import { networkOf } from '@notevault/protocol/values/ip-network.ts';
import Negotiator from 'negotiator';
import { FairSemaphore } from '../../../concurrency/semaphore.ts';
import { DOWNLOADS } from '../../../config/limits.ts';
import { type RangedFile, rangedReply } from '../../../http/answers/ranges.ts';
import { closedSignal, onceClosed } from '../../../http/connections/closed-signal.ts';
import type { RawReply, RawRequest, RawRoute } from '../../../http/pages/raw-routes.ts';
import { downloadsPage } from './downloads.pages.ts';
import type { DownloadFile, Downloads } from './downloads.ts';

const LIMIT = { atLeast: 120 };
const TYPES = new Map([
  ['zip', 'application/zip'],
  ['tgz', 'application/gzip'],
]);
const PIECE_BYTES = 64 * 1024;

/** The list of downloads, as a page or as JSON, and the files; nothing if there are no downloads. */
export function downloadsRoutes(downloads: Downloads | null, version: string): RawRoute[] {
  if (downloads === null) return [];
  const turns = new FairSemaphore(DOWNLOADS);
  const common = { method: 'GET', head: true, limit: LIMIT } as const;
  const list = (request: RawRequest) => listOf(downloads, version, request);
  return [
    { ...common, path: '/download', handle: list },
    { ...common, path: '/download/', handle: list },
    {
      ...common,
      path: '/download/:name',
      handle: async (request) => {
        const file = await downloads.file(request.params.name ?? '');
        const open: RangedFile['open'] = (range) => openBytes(downloads, file, range, turns, request);
        return { reply: replyOf(file, request, open) };
      },
    },
  ];
}

async function listOf(downloads: Downloads, version: string, { header, language }: RawRequest): Promise<RawReply> {
  const files = (await downloads.list()).map(({ path: _, identity: __, ...file }) => file);
  const negotiator = new Negotiator({ headers: { accept: header('accept') ?? '*/*' } });
  const wanted = negotiator.mediaType(['application/json', 'text/html']);
  if (wanted === 'text/html') return { page: downloadsPage(language, version, files) };
  return { document: { version, files } satisfies DownloadList, maxAgeSeconds: 0 };
}

function replyOf({ name, size_bytes: size, sha256 }: DownloadFile, { header }: RawRequest, open: RangedFile['open']) {
  const type = TYPES.get(name.slice(name.lastIndexOf('.') + 1)) ?? 'application/octet-stream';
  const headers = { 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' };
  return rangedReply({ name, size, etag: `"${sha256}"`, type, disposition: 'attachment', headers, open }, header);
}

/** Opens a range of a file, few at a time; its end is the end of the answer, also for a client that leaves. */
async function openBytes(
  downloads: Downloads,
  file: DownloadFile,
  { start, end }: Parameters<RangedFile['open']>[0],
  turns: FairSemaphore,
  { ip, browser: { response } }: RawRequest,
): Promise<AsyncIterable<Uint8Array>> {
  const permit = await turns.acquire(networkOf(ip), 1, closedSignal(response));
  onceClosed(response, () => permit[Symbol.dispose]());
  const handle = await downloads.open(file);
  onceClosed(response, () => void handle.close().catch(() => undefined));
  // The end of a read stream is its last byte.
  if (start === end) return (async function* nothing() {})();
  return handle.createReadStream({ start, end: end - 1, autoClose: false, highWaterMark: PIECE_BYTES });
}
