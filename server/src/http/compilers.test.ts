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

test('a schema of anything and optional texts is compiled only for what does not fit it', () => {
  let compiled = 0;
  const process = (code: string) => {
    compiled += 1;
    return code;
  };
  const options = { coerceTypes: false, validateSchema: false, code: { process } };
  const validators = buildValidator({}, { customOptions: options } as never);
  const properties = { anything: { description: 'anything' }, text: { type: 'string', description: 'a text' } };
  const open = validators(route({ type: 'object', properties }));
  assert.equal(open({}), true);
  assert.equal(open({ anything: ['x'], text: 'x', more: 1 }), true);
  assert.equal(compiled, 0);
  assert.equal(open({ text: 1 }), false);
  assert.ok(compiled > 0);
  assert.equal((open as { errors: { instancePath: string }[] | null }).errors?.[0]?.instancePath, '/text');
  assert.equal(open({ text: 'x' }), true);
  assert.equal((open as { errors: unknown }).errors, null);
  assert.equal(open([]), false);
});

test('a schema that demands more of an object is not passed over', () => {
  const options = { coerceTypes: false, removeAdditional: false, allowUnionTypes: true };
  const validators = buildValidator({}, { customOptions: options } as never);
  const text = { type: 'string' };
  const demanding: readonly [schema: object, data: object][] = [
    [{ properties: { text }, required: ['text'] }, {}],
    [{ properties: { text }, additionalProperties: false }, { more: 1 }],
    [{ properties: { text: { ...text, pattern: '^x$' } } }, { text: 'y' }],
    [{ properties: { text: { ...text, minLength: 1 } } }, { text: '' }],
    [{ properties: { text: { type: 'integer' } } }, { text: 'x' }],
    [{ properties: { text: { type: ['string', 'null'] } } }, { text: 1 }],
    [{ properties: { text: false } }, { text: 'x' }],
  ];
  for (const [schema, data] of demanding) {
    assert.equal(validators(route({ type: 'object', ...schema }))(data), false, JSON.stringify(schema));
  }
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
