import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { errorHandler } from './errors.ts';

test('an unexpected failure is answered 500 with the body {"error":"internal"}', async () => {
  const app = Fastify();
  app.setErrorHandler(errorHandler(null));
  app.get('/', async () => {
    throw new TypeError('select * from notes');
  });
  const { statusCode, body } = await app.inject('/');
  assert.deepEqual([statusCode, body], [500, '{"error":"internal"}']);
  await app.close();
});
