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

test('a schema that every object fits is compiled only for something else', () => {
  let compiled = 0;
  const process = (code: string) => {
    compiled += 1;
    return code;
  };
  const validators = buildValidator({}, { customOptions: { validateSchema: false, code: { process } } } as never);
  const anything = { description: 'anything' };
  const open = validators(route({ type: 'object', properties: { anything } }));
  assert.equal(open({ anything: ['x'] }), true);
  assert.equal(open({}), true);
  assert.equal(compiled, 0);
  assert.equal(open([]), false);
  assert.ok(compiled > 0);
  const needed = validators(route({ type: 'object', properties: { anything }, required: ['anything'] }));
  assert.equal(needed({}), false);
  const typed = validators(route({ type: 'object', properties: { anything: { type: 'string' } } }));
  assert.equal(typed({ anything: {} }), false);
});
