import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { createLogger } from './telemetry.ts';

function recorder(level = 'trace') {
  const lines: string[] = [];
  const logger = createLogger(level, { write: (line) => lines.push(line) });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

test('createLogger writes lines with level and time in words, and labels', () => {
  const { logger, last } = recorder();
  logger.info({ vault: 'v1', count: 3, first: true, nothing: null }, 'notes derived');
  const { time, pid, ...rest } = last();
  assert.match(String(time), /^\d{4}-.*Z$/);
  assert.equal(pid, process.pid);
  assert.deepEqual(rest, { level: 'info', vault: 'v1', count: 3, first: true, nothing: null, msg: 'notes derived' });
});

test('createLogger writes nothing below its level', () => {
  const { logger, lines } = recorder('warn');
  logger.info('quiet');
  assert.equal(lines.length, 0);
});

test('createLogger withholds texts, objects and lists under unknown keys, in lines and in children', () => {
  const { logger, lines, last } = recorder();
  logger.info({ path: 'Diary/secret.md', body: { text: 'secret' }, tags: ['secret'] }, 'seen');
  assert.equal(last().path, '[withheld]');
  logger.child({ title: 'secret', note: 'n1' }).child({ content: 'secret' }, {}).info('seen');
  assert.deepEqual([last().title, last().note, last().content], ['[withheld]', 'n1', '[withheld]']);
  logger.info({ vault: 'secret'.repeat(100) }, 'seen');
  logger.info('opened %s and %j', 'secret', { deep: 'secret' });
  assert.doesNotMatch(lines.join(), /secret/);
});

test('createLogger writes the kind, codes and frames of an error, never its message', () => {
  const { logger, lines, last } = recorder();
  const cause = Object.assign(new Error('row (secret.md) exists'), { code: '23505', constraint: 'notes_path' });
  const error = new TypeError('cannot read secret\n    at secret (secret.md:1:1)', { cause });
  logger.error(error);
  logger.error({ err: error }, error.message);
  logger.error({ err: error });
  logger.error(error, 'import failed');
  assert.doesNotMatch(lines.join(), /secret/);
  const err = last().err as { type: string; stack: string; cause: Record<string, unknown> };
  assert.equal(last().msg, 'import failed');
  assert.equal(err.type, 'TypeError');
  assert.match(err.stack, /telemetry\.test\.ts/);
  assert.deepEqual([err.cause.code, err.cause.constraint], ['23505', 'notes_path']);
});

test('a Fastify server logs route patterns, status and time, never a requested URL', async () => {
  const { logger, lines } = recorder();
  const app = Fastify({ loggerInstance: logger });
  app.get('/api/notes/*', async () => ({ content: 'secret' }));
  app.get('/broken', async () => {
    throw new Error('secret');
  });
  await app.inject({ url: '/api/notes/secret.md?token=secret', headers: { authorization: 'Bearer secret' } });
  await app.inject('/secret');
  await app.inject('/broken?secret');
  await app.close();
  assert.doesNotMatch(lines.join(), /secret/);
  const completed = lines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request completed');
  assert.equal(completed[0].res.route, '/api/notes/*');
  assert.equal(completed[0].res.method, 'GET');
  assert.equal(completed[0].res.status, 200);
  assert.equal(typeof completed[0].res.ms, 'number');
  assert.equal(completed[0].reqId, 'req-1');
});
