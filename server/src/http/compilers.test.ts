import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSerializer, buildValidator } from './compilers.ts';

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
