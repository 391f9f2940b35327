import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiDocument } from './openapi.ts';

const json = (schema: object) => ({ content: { 'application/json': { schema: schema as Record<string, unknown> } } });
const thing = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    at: { type: ['string', 'null'], format: 'date-time' },
    parts: { type: 'array', items: { type: 'object', properties: { size: { type: 'integer' } } } },
  },
};
const document = new ApiDocument({
  '/api/things': {
    get: { responses: { 200: json(thing), 201: json({ type: 'string', format: 'colour' }) } },
    post: { requestBody: json(thing), responses: { 200: {} } },
  },
});
const ID = '0192f0c1-2345-7890-abcd-ef0123456789';
const answer = (body: unknown, status = 200) => ({
  status,
  body,
  headers: new Headers(),
  bytes: Buffer.alloc(0),
  cookie: () => undefined,
});

test('ApiDocument accepts answers that the document allows', () => {
  document.check('GET', '/things', answer({ id: ID, at: null, parts: [{ size: 1 }] }));
  document.check('GET', '/things', answer({ id: ID, at: '2026-01-02T03:04:05.678Z' }));
  document.check('POST', '/things', answer(null), () => ({ id: ID, more: 1 }));
});

test('ApiDocument refuses undocumented fields, types, formats and statuses', () => {
  for (const body of [
    null,
    {},
    { id: 'no uuid' },
    { id: ID, more: 1 },
    { id: ID, at: '2026-01-02T03:04:05Z' },
    { id: ID, parts: [{ size: 1.5 }] },
    { id: ID, parts: [{ length: 1 }] },
  ]) {
    assert.throws(() => document.check('GET', '/things', answer(body)), assert.AssertionError, JSON.stringify(body));
  }
  assert.throws(() => document.check('GET', '/things', answer({}, 418)), assert.AssertionError);
  assert.throws(() => document.check('GET', '/things', answer('red', 201)), /colour/);
  assert.throws(() => document.check('POST', '/things', answer(null), () => ({})), assert.AssertionError);
});
