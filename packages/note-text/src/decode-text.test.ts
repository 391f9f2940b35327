import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeText } from './decode-text.ts';

const TEXT = '# Täglich\r\n\r\n日本 𝄞\r\n';

function utf16(text: string, order: 'le' | 'be'): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

test('decodeText reads UTF-16 of either byte order by its mark, which is no part of the text', () => {
  for (const order of ['le', 'be'] as const) {
    assert.equal(decodeText(utf16(TEXT, order)), TEXT, order);
    assert.equal(decodeText(utf16('', order)), '', order);
  }
});

test('decodeText reads UTF-8 as it is, with its mark', () => {
  for (const text of ['', TEXT, `\ufeff${TEXT}`, 'a\0b']) assert.equal(decodeText(Buffer.from(text)), text);
});

test('decodeText returns null for other encodings, and for UTF-16 that is cut or has a lone surrogate', () => {
  const cases = {
    latin1: Buffer.from('Täglich', 'latin1'),
    'half a character': utf16(TEXT, 'le').subarray(0, -1),
    'a lone surrogate': utf16('\ud834', 'be'),
    'UTF-32': Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]),
  };
  for (const [name, bytes] of Object.entries(cases)) assert.equal(decodeText(bytes), null, name);
});
