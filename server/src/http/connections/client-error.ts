import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance } from 'fastify';
import { errorResponseOf, headersFor } from '../errors.ts';

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * Answers bytes that never became a request, because their HTTP is broken, too large or too slow; then closes the
 * connection.
 */
export function answerClientError(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  // An undeclared member of Node: the answer that is being sent. Nothing may be written into the middle of it.
  const { _httpMessage: under } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (under?.req.complete === true && socket.writable) {
    // Waits for the answer to an earlier, complete request; otherwise this one would pass for it.
    under.once('close', () => answerClientError.call(this, error, socket));
    return;
  }
  if (error.code === 'ECONNRESET' || !socket.writable || under?.headersSent === true) {
    socket.destroy();
    return;
  }
  const id = crypto.randomUUID();
  this.log.debug({ err: error, reqId: id }, 'unreadable request');
  endWith(socket, new NotevaultError(codes[error.code ?? ''] ?? 'bad_request'), id);
}

/** Writes an error directly to the socket, where there is no response object, and closes the connection. */
export function endWith(socket: Duplex, error: NotevaultError, id: string, more: Record<string, string> = {}): void {
  const { status, body } = errorResponseOf(error);
  const text = JSON.stringify(body);
  const headers = {
    ...headersFor(id),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
    ...more,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`, () => socket.destroy());
}
