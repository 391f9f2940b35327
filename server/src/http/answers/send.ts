import { Readable } from 'node:stream';
import { pathOf } from '@notevault/protocol/public-url.ts';
import type { FastifyReply } from 'fastify';
import { jsonPieces, shortJson } from '../../concurrency/json-pieces.ts';
import type { Permit } from '../../concurrency/semaphore.ts';
import type { Reply, ReplyBytes } from '../route.ts';
import { type Coding, codedTag, compressed } from './compression.ts';

/** How long a client may leave an answer's bytes unread before its connection is closed. */
const LINGER_MS = 60_000;
const PIECE_BYTES = 64 * 1024;
const JSON_TYPE = 'application/json; charset=utf-8';

export interface Delivery {
  readonly successStatus: number;
  readonly publicUrl: string;
  /** The memory reserved for a large answer until it is sent. */
  readonly permit: Permit | null;
  /** The coding that the client prefers; undefined for answers that are never compressed. */
  readonly coding: Coding | undefined;
}

/** Writes the result of a handler; nothing else writes answers. */
export async function send(reply: FastifyReply, answer: Reply, delivery: Delivery): Promise<void> {
  const { successStatus, publicUrl, permit, coding = 'identity' } = delivery;
  const json = jsonOf(answer, permit !== null || coding !== 'identity');
  const written = json instanceof Promise ? await json : json;
  const short = written === null || coding === 'identity' ? null : await compressed(written, coding);
  const pieces = short ?? written;
  const bytes = answer.bytes === undefined ? null : await open(reply, answer.bytes);
  reply.code(answer.status ?? successStatus);
  const { vary, ...headers } = answer.headers ?? {};
  // Unless a handler allows caching, answers must not stay on a shared computer.
  reply.headers({ 'cache-control': 'no-store', ...headers });
  const publicPath = pathOf(publicUrl);
  if (publicPath !== '') moveBelow(reply, publicPath);
  addVary(reply, [vary, delivery.coding && 'Accept-Encoding']);
  if (short !== null) reply.header('content-encoding', coding);
  if (answer.etag !== undefined)
    reply.header('etag', `"${short === null ? answer.etag : codedTag(answer.etag, coding)}"`);
  for (const { name, value, path, maxAgeSeconds } of answer.cookies ?? []) {
    const options = {
      path: publicPath + path,
      httpOnly: true,
      sameSite: 'lax',
      secure: publicUrl.startsWith('https:'),
    } as const;
    if (value === null) reply.clearCookie(name, options);
    else reply.setCookie(name, value, maxAgeSeconds === null ? options : { ...options, maxAge: maxAgeSeconds });
  }
  if (answer.bytes !== undefined) {
    if (answer.bytes.length !== null) reply.header('content-length', answer.bytes.length);
    reply.send(bytes);
  } else if (typeof pieces === 'string') {
    await answerBatches.due();
    sendText(reply, pieces, permit);
  } else if (pieces !== null) sendPieces(reply, pieces, permit);
  else reply.send(answer.body);
}

/** Adapts the headers of an answer to a public URL with a path. */
function moveBelow(reply: FastifyReply, publicPath: string): void {
  const location = reply.getHeader('location');
  if (typeof location === 'string' && location.startsWith('/')) reply.header('location', publicPath + location);
  // It would clear what other applications of this host have stored, too.
  reply.removeHeader('clear-site-data');
}

/** Adds to what the CORS plugin has set. */
function addVary(reply: FastifyReply, names: readonly (string | undefined)[]): void {
  const vary = [reply.getHeader('vary'), ...names].filter(Boolean).join(', ');
  if (vary !== '') reply.header('vary', vary);
}

/** The JSON of an answer that is written here; null for one that the route's schema writes. */
function jsonOf({ json, body }: Reply, writesBody: boolean): readonly Buffer[] | string | null | Promise<Buffer[]> {
  if (json !== undefined) return Buffer.isBuffer(json) ? [json] : (json as readonly Buffer[]);
  return writesBody && body !== undefined ? (shortJson(body) ?? jsonPieces(body)) : null;
}

/** Sends a short text, which Node writes together with the headers. */
function sendText(reply: FastifyReply, json: string, permit: Permit | null): void {
  permit?.resize(Buffer.byteLength(json));
  reply.type(JSON_TYPE).send(json);
}

function sendPieces(reply: FastifyReply, pieces: readonly Buffer[], permit: Permit | null): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  // The memory is released when the connection has accepted the last bytes.
  permit?.resize(length);
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
  const stream = Readable.from(opened, { objectMode: false, highWaterMark: PIECE_BYTES });
  // Over HTTP/1.0, as from a plain nginx, the end of a connection is the end of an answer without a length: only a
  // reset tells the receiver that the rest is missing.
  stream.once('error', () => {
    if (reply.raw.headersSent) reply.raw.socket?.resetAndDestroy();
  });
  return stream;
}

/** Maximum wait of the first answer for the others, unless one of them takes longer to make. */
const WAIT_MS = 0.5;

interface Batch extends PromiseWithResolvers<void> {
  readonly began: number;
}

/**
 * Groups the answers made in one turn of the event loop, so that they are written together. Writing to a connection
 * with a sleeping reader wakes it up, which costs as much as the rest of the write. A reader of several connections,
 * such as a proxy, is then awake for the other answers and sends its next requests together.
 */
export class AnswerBatches {
  readonly #later: (run: () => void) => void;
  #batch: Batch | undefined;

  /** @param later calls a function at the end of the current turn of the event loop. */
  constructor(later: (run: () => void) => void = setImmediate) {
    this.#later = later;
  }

  /** Resolves when the answers of this turn are to be written. */
  due(): Promise<void> {
    const batch = this.#batch ?? this.#begin();
    if (performance.now() - batch.began >= WAIT_MS) this.#end(batch);
    return batch.promise;
  }

  #begin(): Batch {
    const batch = { ...Promise.withResolvers<void>(), began: performance.now() };
    this.#batch = batch;
    this.#later(() => this.#end(batch));
    return batch;
  }

  #end(batch: Batch): void {
    if (this.#batch === batch) this.#batch = undefined;
    batch.resolve();
  }
}

export const answerBatches = new AnswerBatches();
