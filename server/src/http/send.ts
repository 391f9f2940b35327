import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Reply, ReplyBytes } from './route.ts';

/** So long a client may leave an answer's bytes unread before its connection is closed. */
const UNREAD_MS = 60_000;
const PIECE_BYTES = 64 * 1024;

/** Writes what a handler answered; the only place that does. */
export async function send(
  reply: FastifyReply,
  answer: Reply,
  successStatus: number,
  publicUrl: string,
): Promise<void> {
  const bytes = answer.bytes === undefined ? null : await open(reply, answer.bytes);
  reply.code(answer.status ?? successStatus);
  const { vary, ...headers } = answer.headers ?? {};
  reply.headers(headers);
  // CORS has its own word to say there.
  if (vary !== undefined) reply.header('vary', [reply.getHeader('vary'), vary].filter(Boolean).join(', '));
  if (answer.cookie !== undefined) {
    const { name, value, path, maxAgeSeconds } = answer.cookie;
    const options = { path, httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') } as const;
    if (value === null) reply.clearCookie(name, options);
    else reply.setCookie(name, value, { ...options, maxAge: maxAgeSeconds });
  }
  if (answer.bytes !== undefined) reply.header('content-length', answer.bytes.length).send(bytes);
  else if (answer.json !== undefined) reply.type('application/json; charset=utf-8').send(answer.json);
  else reply.send(answer.body);
}

/** Opened before anything is written, so that what cannot be opened is answered with its error. */
async function open(reply: FastifyReply, bytes: ReplyBytes): Promise<Readable> {
  if (reply.request.method === 'HEAD') return Readable.from([]);
  const opened = await bytes.open();
  reply.raw.setTimeout(UNREAD_MS);
  return Readable.from(opened, { objectMode: false, highWaterMark: PIECE_BYTES });
}
