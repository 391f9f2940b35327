import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = import.meta.dirname;
const names = globSync('en/*.ts', { cwd: folder }).map((path) => path.slice('en/'.length));

/** The texts of a catalogue by their paths. */
/** CodeMirror's phrases are English by themselves, so only other languages have them. */
const OWN = 'phrases';

function flat(texts: object, prefix = ''): Map<string, string> {
  const entries = Object.entries(texts).filter(([key]) => key !== OWN);
  return new Map(
    entries.flatMap(([key, value]) =>
      typeof value === 'string' ? [[prefix + key, value] as const] : [...flat(value, `${prefix}${key}.`)],
    ),
  );
}

async function read(language: string, name: string): Promise<Map<string, string>> {
  return flat(await import(join(folder, language, name)));
}

function placeholders(text: string): string[] {
  return (text.match(/\{\{\w+\}\}|\$/g) ?? []).sort();
}

for (const language of ['de', 'ja']) {
  test(`the texts in ${language} have the keys and the placeholders of the English ones, and none is empty`, async () => {
    for (const name of names) {
      const [english, translated] = [await read('en', name), await read(language, name)];
      assert.deepEqual([...translated.keys()].sort(), [...english.keys()].sort(), name);
      for (const [key, text] of translated) {
        assert.notEqual(text.trim(), '', key);
        assert.deepEqual(placeholders(text), placeholders(english.get(key) ?? ''), `${name} ${key}`);
      }
    }
  });
}
