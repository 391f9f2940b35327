import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import fc from 'fast-check';
import { JsonText, JsonValueCounter } from './json-text.ts';

function parsed(bytes: Buffer, size: number): unknown {
  const text = new JsonText();
  for (let at = 0; at < bytes.length; at += size) text.add(Buffer.from(bytes.subarray(at, at + size)));
  return text.parse();
}

const sizes = fc.integer({ min: 1, max: 12 });
const characters = fc.constantFrom('a', '"', '\\', 'é', '\ufeff', '語', '\u{1f600}', '\n', '_');

test('JsonText parses a text like JSON.parse, however its bytes are cut', () => {
  const values = fc.jsonValue({ stringUnit: characters });
  fc.assert(
    fc.property(values, sizes, (value, size) => {
      const json = JSON.stringify(value);
      assert.deepEqual(parsed(Buffer.from(json), size), JSON.parse(json));
      assert.deepEqual(parsed(Buffer.from(`\ufeff${json}`), size), JSON.parse(json));
    }),
  );
});

test('JsonText drops __proto__ keys in plain and escaped form, however the bytes are cut', () => {
  for (const key of ['__proto__', '\\u005f_proto__', '__pr\\u006Fto__']) {
    for (let size = 1; size < 30; size++) {
      const value = parsed(Buffer.from(`{"a":{"${key}":{"x":1},"b":2}}`), size);
      assert.deepEqual(Object.keys((value as { a: object }).a), ['b'], `${key} in pieces of ${size}`);
    }
  }
});

test('JsonText refuses what is not JSON or not UTF-8, however the bytes are cut', () => {
  const broken = [
    '{"a":',
    '"\xff"',
    '"\xc3"',
    '"\xe8\xaa"',
    '"a"\xf0\x9f\x98',
    '"\xed\xa0\x80"',
    '\xef\xbb\xbf\xef\xbb\xbf1',
  ];
  for (const text of broken) {
    for (let size = 1; size < 8; size++) {
      assert.throws(() => parsed(Buffer.from(text, 'latin1'), size), new NotevaultError('invalid_json'), text);
    }
  }
});

test('JsonText refuses half a surrogate pair, and names the field, however the bytes are cut', () => {
  const halves = ['\\ud83d', '\\uDE00', '\\ude00\\ud83d', 'a\\uD83Db'];
  for (const half of halves) {
    for (let size = 1; size < 12; size++) {
      for (const text of [`{"a":1,"b":"${half}"}`, `{"b":[{"c":"${half}"}]}`, `{"b":{"${half}":1}}`]) {
        const refused = new NotevaultError('validation', { errors: { b: ['must be valid UTF-8'] } });
        assert.throws(() => parsed(Buffer.from(text), size), refused, text);
      }
      assert.deepEqual(parsed(Buffer.from('{"a":"\\ud83d\\ude00"}'), size), { a: '\u{1f600}' });
      assert.deepEqual(parsed(Buffer.from('{"a":"\\\\ud83d"}'), size), { a: '\\ud83d' });
    }
  }
});

test('JsonText is undefined without bytes', () => {
  assert.equal(parsed(Buffer.alloc(0), 1), undefined);
});

/** Counts lists, objects, and values separated by commas. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const fields = Object.values(value);
  return 1 + Math.max(0, fields.length - 1) + fields.reduce((sum: number, field) => sum + valuesOf(field), 0);
}

test('JsonValueCounter counts the values of a JSON text, however its bytes are cut', () => {
  const texts = fc.string({ unit: fc.constantFrom('"', '\\', ',', '[', '{', 'a', 'é', '\u{1f600}', '\n') });
  const values = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, texts, fc.integer(), fc.constant(null), tie('list'), tie('object')),
    list: fc.array(tie('value')),
    object: fc.dictionary(texts, tie('value')),
  })).value;
  fc.assert(
    fc.property(values, fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 21, max: 500 })), (value, size) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const counter = new JsonValueCounter();
      for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size));
      assert.equal(counter.count, 1 + valuesOf(value));
    }),
  );
});
