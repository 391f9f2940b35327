import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonValueCounter } from './json-values.ts';

/** Counts lists, objects, and values separated by commas. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const fields = Object.values(value);
  return 1 + Math.max(0, fields.length - 1) + fields.reduce((sum: number, field) => sum + valuesOf(field), 0);
}

test('JsonValueCounter counts the values of a JSON text, however its bytes are cut', () => {
  // Ends of long texts are found in another way than those of short ones.
  const long = 'a'.repeat(70);
  const texts = fc.string({ unit: fc.constantFrom('"', '\\', ',', '[', '{', long, 'é', '\u{1f600}', '\n') });
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
