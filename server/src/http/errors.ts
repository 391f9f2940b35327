import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errors, NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BlobError } from '../ports/blobs/blobs.ts';
import { DatabaseError } from '../ports/database/database.ts';
import { isDamaged, isStorageFull } from '../telemetry/storage-state.ts';
import { http } from './node-http.ts';

const RETRY_AFTER_SECONDS = '1';
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/**
 * The single place that turns errors into HTTP. Unexpected errors are logged with the request id, which is a
 * header of the answer, and all answered alike: no stack, path or SQL leaves the server.
 *
 * @param resourceMetadataUrl where clients read how to get a credential; null where no credential is accepted.
 */
export function errorHandler(resourceMetadataUrl: string | null) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const known = toCatalogueError(error, request);
    // Damage was logged when it was found: each request for the same page would add the same line.
    if (known === null && !isDamaged(error)) request.log.error({ err: error }, 'request failed');
    const answer = errorResponseOf(known ?? new NotevaultError('internal'));
    const challenge = challengeOf(known, request, resourceMetadataUrl);
    if (challenge !== null) reply.header('www-authenticate', challenge);
    // Fastify would close the connection at once, and most clients do not read an answer while they still send.
    if (known?.code === 'body_too_large') reply.removeHeader('connection');
    reply.code(answer.status).headers(answer.headers).send(answer.body);
  };
}

/** The request's id: the one the client sent if it is valid, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const { 'x-request-id': sent } = headers;
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : crypto.randomUUID();
}

export function headersFor(requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
  };
}

/** The HTTP form of an error: status and body from the catalogue, headers for the error. */
export function errorResponseOf(error: NotevaultError) {
  const entry: { status: number; error: string; both?: true; retry?: true } = errors[error.code];
  // A conflict has the text of a note.
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  const { allow, retry_after, content_range, challenge_scope: _, ...details } = error.details;
  if (typeof allow === 'string') headers.allow = allow;
  if (typeof content_range === 'string') headers['content-range'] = content_range;
  if (typeof details.upload_offset === 'number') headers['upload-offset'] = `${details.upload_offset}`;
  if (entry.retry) headers['retry-after'] = typeof retry_after === 'string' ? retry_after : RETRY_AFTER_SECONDS;
  if (error.code === 'validation') return { status: entry.status, body: details, headers };
  const body = { error: entry.error, ...(entry.both ? { errors: entry.error } : {}), ...details };
  return { status: entry.status, body, headers };
}

/** The challenge of RFC 6750 section 3 and RFC 9728 section 5.1; null for other errors. */
function challengeOf(error: NotevaultError | null, request: FastifyRequest, metadataUrl: string | null): string | null {
  if (metadataUrl === null) return null;
  if (error?.code === 'unauthorized') {
    const sent = request.headers.authorization === undefined ? '' : ', error="invalid_token"';
    return `Bearer resource_metadata="${metadataUrl}"${sent}${scopeOf(error)}`;
  }
  if (error?.code !== 'insufficient_access') return null;
  const scope = scopeOf(error);
  // Clients of the endpoint with scopes need both to ask for more.
  return `Bearer error="insufficient_scope"${scope}${scope === '' ? '' : `, resource_metadata="${metadataUrl}"`}`;
}

/** The scopes that a credential needs, where an endpoint names them. */
function scopeOf({ details }: NotevaultError): string {
  return typeof details.challenge_scope === 'string' ? `, scope="${details.challenge_scope}"` : '';
}

/** The catalogue error for an exception, or null when the exception is unexpected. */
export function toCatalogueError(error: unknown, request: FastifyRequest): NotevaultError | null {
  if (isStorageFull(error)) {
    // Logged for the operator, who alone can help.
    request.log.error({ err: error }, 'the disk is full');
    return new NotevaultError('storage_full');
  }
  if (error instanceof NotevaultError) return error;
  // Waiting does not help, so clients are not told to.
  if (isDamaged(error)) return null;
  if (isDatabaseAway(error)) return new NotevaultError('unavailable');
  if (error instanceof BlobError) {
    // The disk is full or a service is down. It is logged for the operator; answers do not reveal the cause.
    request.log.error({ err: error }, 'attachments cannot be stored or read');
    return new NotevaultError('unavailable');
  }
  const { code, statusCode, validation } = error as Partial<FastifyError>;
  if (validation !== undefined) return validationError(validation);
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new NotevaultError('body_too_large', { max: request.routeOptions.bodyLimit });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return new NotevaultError('unsupported_media_type');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
      return new NotevaultError('invalid_json');
    default:
      return statusCode === 429 ? new NotevaultError('rate_limited') : null;
  }
}

/** Whether the database is unavailable. Also finds a DatabaseError in the cause of a library's error. */
export function isDatabaseAway(error: unknown): boolean {
  const reason = error instanceof Error && error.cause instanceof DatabaseError ? error.cause : error;
  return reason instanceof DatabaseError && !reason.damaged && reason.code !== 'body_left_open';
}

interface SchemaFault {
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string;
}

/** Converts the schema validator's faults to a map of field (dotted when nested) to messages. */
function validationError(faults: readonly SchemaFault[]): NotevaultError {
  const fields: Record<string, string[]> = {};
  for (const fault of faults) {
    const steps = fault.instancePath.split('/').slice(1);
    const missing = fault.keyword === 'required' ? String(fault.params.missingProperty) : null;
    const field = [...steps, ...(missing === null ? [] : [missing])].join('.') || 'body';
    fields[field] = [...(fields[field] ?? []), missing === null ? (fault.message ?? 'is invalid') : 'is required'];
  }
  return new NotevaultError('validation', { errors: fields });
}

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers bytes that never became a request: their HTTP is broken, too large or too slow. Closes the connection. */
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
  socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`, () => socket.destroy());
}
