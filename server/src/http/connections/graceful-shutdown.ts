import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance } from 'fastify';
import { onceClosed } from './closed-signal.ts';

/**
 * Closes connections when the server stops. Node closes idle connections, but keeps a connection with a running request
 * alive after its answer, and the server would wait for the client to close it. A new request on an open connection
 * gets `unavailable`.
 */
export function closeConnectionsOnStop(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', (done) => {
    stopping = true;
    done();
  });
  app.addHook('onRequest', (_request, reply, done) => {
    // Also closes connections whose answer had sent its headers before the stop.
    onceClosed(reply.raw, () => {
      if (stopping) app.server.closeIdleConnections();
    });
    done(stopping ? new NotevaultError('unavailable') : undefined);
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping) reply.header('connection', 'close');
    done();
  });
}
