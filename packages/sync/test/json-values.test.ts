import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isComparedByValue, isSameValue } from '../src/engine/json-values.ts';

test('isSameValue ignores spaces and the order of keys, and nothing else', () => {
  for (const [a, b] of [
    ['{"a":1,"b":{"c":[]}}', ' { "b" : {"c":[ ]}, "a":1.0 }'],
    ['[1,"x",null,true]', '[ 1, "\\u0078", null, true ]'],
  ] as const)
    assert.ok(isSameValue(a, b), b);
  for (const [a, b] of [
    ['{"a":1}', '{"a":2}'],
    ['{"a":1}', '{"a":1,"b":null}'],
    ['{"a":1,"b":null}', '{"a":1,"c":null}'],
    ['{"a":{}}', '{"toString":{}}'],
    ['[1,2]', '[2,1]'],
    ['[]', '{}'],
    ['null', '{}'],
    ['"1"', '1'],
    ['{', '{'],
  ] as const)
    assert.ok(!isSameValue(a, b), `${a} ${b}`);
});

test('isComparedByValue holds for canvases and JSON among the settings of Obsidian only', () => {
  const isCompared = (path: string, size: number | null = 10) => isComparedByValue({ path, size });
  assert.ok(isCompared('.obsidian/app.json') && isCompared('.obsidian/plugins/x/data.json'));
  assert.ok(isCompared('a/b.canvas') && !isCompared('a.canvas.md'));
  assert.ok(!isCompared('app.json') && !isCompared('.obsidian/themes/x.css'));
  assert.ok(!isCompared('.obsidian/app.json', null) && !isCompared('.obsidian/app.json', 1e9));
});
