import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { jsonPieces, shortJson } from '../../concurrency/json-pieces.ts';
import type { Permit } from '../../concurrency/semaphore.ts';
import type { Reply, ReplyBytes } from '../route.ts';
import { turnEnd } from './turn-end.ts';

/** How long a client may leave an answer's bytes unread before its connection is closed. */
const LINGER_MS = 60_000;
const PIECE_BYTES = 64 * 1024;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Writes the result of a handler; nothing else writes answers.
 *
 * @param room the memory reserved for a large answer until it is sent.
 */
export async function send(
  reply: FastifyReply,
  answer: Reply,
  successStatus: number,
  publicUrl: string,
  room: Permit | null = null,
): Promise<void> {
  const pieces = await piecesOf(answer, room !== null);
  const bytes = answer.bytes === undefined ? null : await open(reply, answer.bytes);
  reply.code(answer.status ?? successStatus);
  const { vary, ...headers } = answer.headers ?? {};
  reply.headers(headers);
  // The CORS plugin sets this header too.
  if (vary !== undefined) reply.header('vary', [reply.getHeader('vary'), vary].filter(Boolean).join(', '));
  if (answer.cookie !== undefined) {
    const { name, value, path, maxAgeSeconds } = answer.cookie;
    const options = { path, httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') } as const;
    if (value === null) reply.clearCookie(name, options);
    else reply.setCookie(name, value, { ...options, maxAge: maxAgeSeconds });
  }
  if (answer.bytes !== undefined) {
    if (answer.bytes.length !== null) reply.header('content-length', answer.bytes.length);
    reply.send(bytes);
  } else if (typeof pieces === 'string') {
    await turnEnd.reached();
    sendText(reply, pieces, room);
  } else if (pieces !== null) sendPieces(reply, pieces, room);
  else reply.send(answer.body);
}

/** The JSON of an answer that is encoded here instead of by the route's schema. */
async function piecesOf({ json, body }: Reply, large: boolean): Promise<readonly Buffer[] | string | null> {
  if (typeof json === 'function') return json();
  if (json !== undefined) return Buffer.isBuffer(json) ? [json] : (json as readonly Buffer[]);
  return large && body !== undefined ? (shortJson(body) ?? jsonPieces(body)) : null;
}

/** Sends a short text, which Node writes together with the headers. */
function sendText(reply: FastifyReply, json: string, room: Permit | null): void {
  room?.resize(Buffer.byteLength(json));
  reply.type(JSON_TYPE).send(json);
}

function sendPieces(reply: FastifyReply, pieces: readonly Buffer[], room: Permit | null): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  // The memory is released when the connection has accepted the last bytes.
  room?.resize(length);
  reply.type(JSON_TYPE).header('content-length', length);
  if (length <= PIECE_BYTES) {
    reply.send(Buffer.concat(pieces));
    return;
  }
  reply.raw.setTimeout(LINGER_MS);
  reply.send(Readable.from(pieces, { objectMode: false, highWaterMark: PIECE_BYTES }));
}

/** Opens the bytes before anything is written, so that a failure is answered with its error. */
async function open(reply: FastifyReply, bytes: ReplyBytes): Promise<Readable> {
  if (reply.request.method === 'HEAD') return Readable.from([]);
  const opened = await bytes.open();
  reply.raw.setTimeout(LINGER_MS);
  return Readable.from(opened, { objectMode: false, highWaterMark: PIECE_BYTES });
}
