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
  paths: {
    '/api/things': {
      get: {
        responses: {
          200: json(thing),
          201: json({ type: 'string', format: 'colour' }),
          202: json({ type: 'array', items: { $ref: '#/components/schemas/Thing' } }),
          404: { $ref: '#/components/responses/not_found' },
        },
      },
      post: { requestBody: json(thing), responses: { 200: {} } },
      put: { requestBody: json({ $ref: '#/components/schemas/Thing' }), responses: { 200: {} } },
    },
  },
  components: { schemas: { Thing: thing }, responses: { not_found: json({ type: 'null' }) } },
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

test('ApiDocument follows references to schemas and responses', () => {
  document.check('GET', '/things', answer([{ id: ID }], 202));
  document.check('GET', '/things', answer(null, 404));
  document.check('PUT', '/things', answer(null), () => ({ id: ID, more: 1 }));
  for (const refused of [answer([{ id: ID, more: 1 }], 202), answer([{ id: 'no uuid' }], 202), answer({}, 404)]) {
    assert.throws(() => document.check('GET', '/things', refused), assert.AssertionError);
  }
  assert.throws(() => document.check('PUT', '/things', answer(null), () => ({})), assert.AssertionError);
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
