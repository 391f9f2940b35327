import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance } from 'fastify';

/**
 * Lets connections go when the server stops. Node closes those that are idle at that moment; one with a request under way
 * would be kept alive after its answer, and the server would wait until the client left it. A request that begins now on
 * a connection of before gets `unavailable`.
 */
export function closeConnectionsOnStop(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', (done) => {
    stopping = true;
    done();
  });
  app.addHook('onRequest', (_request, reply, done) => {
    // Also for an answer whose headers were out before the server was told to stop.
    reply.raw.once('close', () => {
      if (stopping) app.server.closeIdleConnections();
    });
    done(stopping ? new NotevaultError('unavailable') : undefined);
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping) reply.header('connection', 'close');
    done();
  });
}
