import type { AttachmentWithContent } from '@notevault/protocol/attachments.ts';
import { isSet } from '@notevault/protocol/values/schemas.ts';
import { fromOpened } from '../../../concurrency/opened-pieces.ts';
import { acceptsJson, type RangedFile, rangedReply } from '../../../http/answers/ranges.ts';
import { base64Length, encodeBase64 } from '../../../http/base64.ts';
import type { Reply } from '../../../http/route.ts';
import type { OpenFile } from './attachments.ts';
import { isShownInline } from './uploads/extensions.ts';
import { JSON_FILE_MAX } from './uploads/uploads.schema.ts';

/** The parts of a request that determine the form of the answer. */
interface Wants {
  readonly query: { readonly raw?: string | undefined };
  header(name: string): string | null;
}

/** A file may not run scripts, load anything, or access pages of this origin. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function fileReply(file: OpenFile, wants: Wants): Reply<AttachmentWithContent> {
  const raw = isSet(wants.query.raw) || !acceptsJson(wants.header('accept'));
  return raw ? rangedReply(rangedFile(file), wants.header) : jsonReply(file);
}

function rangedFile({ attachment, bytes }: OpenFile): RangedFile {
  const { content_hash: hash, size_bytes: size, mime_type: type, path } = attachment;
  const headers = {
    vary: 'Accept',
    'cache-control': 'private, no-cache',
    'content-security-policy': FILE_POLICY,
  };
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    size,
    etag: `"${hash}"`,
    type: type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    disposition: isShownInline(type) ? 'inline' : 'attachment',
    headers,
    open: bytes,
  };
}

/** Sends a file of a public page: pictures, audio and video to show in it, others to download; none is stored. */
export function publicFileReply(file: OpenFile, header: Wants['header']): Reply {
  const { mime_type: type } = file.attachment;
  const isMedia = /^(?:image|audio|video)\//.test(type) && isShownInline(type);
  return rangedReply(
    {
      ...rangedFile(file),
      disposition: isMedia ? 'inline' : 'attachment',
      headers: {
        'cache-control': 'no-store',
        'content-security-policy': FILE_POLICY,
        'x-robots-tag': 'noindex, nofollow',
        'referrer-policy': 'no-referrer',
      },
    },
    header,
  );
}

/** Streamed: as one string, a file of 64 MB would be in memory several times. */
function jsonReply({ attachment, bytes }: OpenFile): Reply<AttachmentWithContent> {
  const headers = { vary: 'Accept', 'cache-control': 'private, no-cache' };
  const size = attachment.size_bytes;
  if (size > JSON_FILE_MAX) return { headers, body: { ...attachment, content_base64: null } };
  const before = Buffer.from(`${JSON.stringify(attachment).slice(0, -1)},"content_base64":"`);
  const after = Buffer.from('"}');
  async function* json(opened: AsyncIterable<Uint8Array>) {
    yield before;
    for await (const text of encodeBase64(opened)) if (text !== '') yield Buffer.from(text, 'latin1');
    yield after;
  }
  return {
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    bytes: {
      length: before.length + base64Length(size) + after.length,
      open: async () => fromOpened(await bytes({ start: 0, end: size }), json),
    },
  };
}
