import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PendingReads } from '../../concurrency/pending-reads.ts';
import { runWithPendingReads } from '../../concurrency/tenant.ts';

const pending = new WeakMap<FastifyRequest, PendingReads>();

/** Runs a part of a request whose reads may not be on disk yet; `holdUntilOnDisk` delays the answer until they are. */
export function withPendingReads<Result>(request: FastifyRequest, work: () => Result): Result {
  const reads = pending.get(request) ?? new PendingReads();
  pending.set(request, reads);
  return runWithPendingReads(reads, work);
}

/** Sends no answer and no refusal before everything that its request has read is on disk; 503 when the disk fails. */
export function holdUntilOnDisk(api: FastifyInstance): void {
  api.addHook('onSend', (request, reply, payload, done) => {
    const onDisk = pending.get(request)?.onDisk();
    pending.delete(request);
    if (onDisk === undefined) done(null, payload);
    else
      onDisk.then(
        () => done(null, payload),
        (error: Error) => {
          discard(reply, payload);
          done(error);
        },
      );
  });
}

/** Discards an answer whose rows are not on disk: neither its body nor its headers may be sent. */
function discard(reply: FastifyReply, payload: unknown): void {
  if (payload instanceof Readable) payload.destroy();
  for (const name of [
    'content-length',
    'content-encoding',
    'content-range',
    'content-disposition',
    'etag',
    'set-cookie',
  ])
    reply.removeHeader(name);
}
