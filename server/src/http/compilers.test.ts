import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documented, REQUIRED, sentAlways } from '@notevault/protocol/values/schemas.ts';
import { AJV_OPTIONS, buildSerializer, buildValidator } from './compilers.ts';
import { asDocumented } from './documented.ts';

const WRONG = { type: 'no such type' };
const route = (schema: object) => ({ schema, method: 'GET', url: '/' }) as never;

test('a schema is compiled when it is first used, and not before', () => {
  const validate = buildValidator({}, { customOptions: {} } as never)(route(WRONG));
  assert.throws(() => validate({}), /schema is invalid/);
  const serialize = buildSerializer({}, {} as never)(route(WRONG));
  assert.throws(() => serialize({}), /unsupported|invalid/i);
});

test('a validator has the errors of its last call', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const validate = buildValidator({}, { customOptions: { coerceTypes: false } } as never)(route(schema));
  assert.equal(validate({ n: 'x' }), false);
  assert.equal((validate as { errors: { instancePath: string }[] | null }).errors?.[0]?.instancePath, '/n');
  assert.equal(validate({ n: 1 }), true);
  assert.equal((validate as { errors: unknown }).errors, null);
});

test('what a schema only documents is shown and not validated', () => {
  const text = { type: 'string', description: 'a text', ...documented({ enum: ['a', 'b'] }) };
  const schema = {
    required: ['text'],
    properties: { text, any: documented({ type: 'object', properties: { text } }) },
  };
  const shown = { type: 'string', description: 'a text', enum: ['a', 'b'] };
  assert.deepEqual(asDocumented(schema), {
    required: ['text'],
    properties: { text: shown, any: { type: 'object', properties: { text: shown } } },
  });
  const validate = buildValidator({}, { customOptions: AJV_OPTIONS })(route(schema));
  assert.equal(validate({ text: 'c', any: 1 }), true);
  assert.equal(validate({ text: 1 }), false);
});

test('asDocumented adds the fields that only the document lists as required', () => {
  const listed = { type: 'string', ...REQUIRED };
  const schema = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' }, b: listed, c: sentAlways({}) },
  };
  assert.deepEqual(asDocumented(schema), {
    type: 'object',
    required: ['a', 'b', 'c'],
    properties: { a: { type: 'string' }, b: { type: 'string' }, c: {} },
  });
  assert.equal(buildValidator({}, { customOptions: AJV_OPTIONS })(route(schema))({ a: 'text' }), true);
});
