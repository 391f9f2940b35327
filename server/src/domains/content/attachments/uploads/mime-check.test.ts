import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { ContentInspector } from './content-inspector.ts';
import { defaultExtensions, extensionOf, isShownInline, mediaTypeOf } from './extensions.ts';
import { checkHead, checkTail, HEAD_BYTES, TAIL_BYTES } from './mime-check.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Returns the media type for which a file is refused; null when it is accepted. */
async function refusal(extension: string, head: Buffer): Promise<unknown> {
  try {
    await checkHead(extension, head);
    return null;
  } catch (error) {
    if (error instanceof NotevaultError && error.code === 'mime_not_allowed') return error.details.mime_type;
    throw error;
  }
}

const iso = (brand: string) => latin1(`\0\0\0\x18ftyp${brand}\0\0\0\0${brand}mif1`);
const KINDS: readonly [extensions: string[], head: Buffer][] = [
  [['png'], latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
  [['jpg', 'jpeg'], latin1('\xff\xd8\xff\xe0\0\x10JFIF\0')],
  [['gif'], latin1('GIF89a\x01\0\x01\0')],
  [['webp'], latin1('RIFF\x24\0\0\0WEBPVP8 ')],
  [['bmp'], latin1('BM\x46\0\0\0\0\0\0\0\x36\0\0\0')],
  [['tif', 'tiff'], latin1('II*\0\x08\0\0\0\0\0')],
  [['heic', 'heif'], iso('heic')],
  [['avif'], iso('avif')],
  [['mp4', 'm4v', 'mov'], iso('isom')],
  [['mp3'], latin1('ID3\x04\0\0\0\0\0\x0a')],
  [['wav'], latin1('RIFF\x24\0\0\0WAVEfmt ')],
  [['ogg', 'oga'], latin1('OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x1e\x01vorbis')],
  [['flac'], latin1('fLaC\0\0\0\x22')],
  [['webm', 'mkv'], latin1('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01')],
  [['pdf'], latin1('%PDF-1.7\n')],
  [['doc', 'xls', 'ppt'], latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
  [['zip', 'docx', 'xlsx', 'pptx', 'odt', 'epub'], latin1('PK\x03\x04\x14\0\0\0\x08\0')],
  [['rtf', 'doc'], latin1('{\\rtf1\\ansi')],
  [['woff'], latin1('wOFF\0\x01\0\0')],
  [['woff2'], latin1('wOF2\0\x01\0\0')],
  [['ttf', 'otf'], latin1('\0\x01\0\0\0\x0c\0\x80\0\x03')],
];

test('a file of each type is accepted under its own extensions and refused under other binary ones', async () => {
  const passed: string[] = [];
  const binary = KINDS.flatMap(([extensions]) => extensions);
  for (const [extensions, bytes] of KINDS) {
    const head = Buffer.concat([bytes, Buffer.alloc(200)]);
    for (const extension of extensions) assert.equal(await refusal(extension, head), null, extension);
    // Containers can contain each other's types, and their contents do not show in the first bytes.
    const iso = ['heic', 'heif', 'avif', 'mp4', 'm4v', 'mov'];
    const [first = ''] = extensions;
    const kin = iso.includes(first) ? iso : first === 'mp3' ? ['mp3', 'flac', 'wav'] : extensions;
    for (const extension of binary.filter((other) => !kin.includes(other))) {
      if ((await refusal(extension, head)) === null) passed.push(`${first} as ${extension}`);
    }
    for (const extension of ['txt', 'csv', 'json', 'svg'])
      assert.equal(await refusal(extension, head), null, extension);
  }
  // Audio types are one family, and Word writes RTF into `.doc`: a family accepts its types in all directions.
  assert.deepEqual(passed, ['wav as mp3', 'flac as mp3', 'doc as rtf']);
});

test('an executable is refused under any name', async () => {
  const programs: [string, Buffer][] = [
    ['application/x-msdownload', latin1('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff')],
    ['application/x-elf', latin1('\x7fELF\x02\x01\x01\0')],
    ['application/x-mach-binary', latin1('\xcf\xfa\xed\xfe\x07\0\0\x01')],
    ['application/x-mach-binary', latin1('\xca\xfe\xba\xbe\0\0\0\x02')],
    ['application/wasm', latin1('\0asm\x01\0\0\0')],
    ['text/x-shellscript', latin1('#!/usr/bin/env node\n')],
    ['text/x-shellscript', latin1('\xef\xbb\xbf#! /bin/sh\n')],
  ];
  for (const [type, head] of programs) {
    for (const extension of ['png', 'txt', 'zip', 'docx', 'json', 'xyz']) {
      assert.equal(await refusal(extension, head), type, extension);
    }
  }
  for (const text of ['MZ is short for Mainz', '#!not a path', '#', '', 'ELF']) {
    assert.equal(await refusal('txt', Buffer.from(text)), null, text);
  }
});

test('an image that ends as an archive is refused, however long the archive’s comment', () => {
  const end = (comment: number) =>
    Buffer.concat([
      latin1('PK\x05\x06'),
      Buffer.alloc(16),
      Buffer.from([comment & 255, comment >> 8]),
      Buffer.alloc(comment),
    ]);
  for (const comment of [0, 7, 0xffff]) {
    assert.throws(() => checkTail('png', Buffer.concat([randomBytes(100), end(comment)])), /mime_not_allowed/);
    checkTail('zip', end(comment));
  }
  checkTail('png', Buffer.concat([end(0), Buffer.from('x')]));
  checkTail('png', latin1('PK\x05\x06'));
  checkTail('png', Buffer.alloc(0));
});

test('hostile first bytes are checked quickly', async () => {
  const before = process.threadCpuUsage();
  for (const [extensions, bytes] of KINDS) {
    for (const filler of [Buffer.alloc(HEAD_BYTES, bytes), Buffer.alloc(HEAD_BYTES, 0xff), randomBytes(HEAD_BYTES)]) {
      const head = Buffer.concat([bytes, filler]).subarray(0, HEAD_BYTES);
      await refusal(extensions[0] ?? '', head);
      checkTail('png', Buffer.alloc(TAIL_BYTES, latin1('PK\x05\x06')));
    }
  }
  const { user, system } = process.threadCpuUsage(before);
  assert.ok((user + system) / 1000 < 3000);
});

test('the inspector passes bytes on unchanged for any chunk sizes, and checks the first and last ones', async () => {
  const bytes = Buffer.concat([latin1('\x89PNG\r\n\x1a\n'), randomBytes(3 * TAIL_BYTES)]);
  for (const size of [1, 7, HEAD_BYTES - 1, HEAD_BYTES, 65_536, bytes.length]) {
    for (const [cut, extra] of [
      [bytes.length, 0],
      [HEAD_BYTES + 1, 0],
      [HEAD_BYTES, 0],
      [5, 0],
      [0, 0],
    ] as const) {
      const whole = bytes.subarray(0, cut + extra);
      if (size === 1 && whole.length > 10_000) continue;
      const looking = new ContentInspector([], () => 'png');
      async function* pieces() {
        for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
      }
      const passed = Buffer.concat(await Array.fromAsync(looking.pass(pieces())));
      assert.ok(passed.equals(whole), `${cut} bytes by ${size}`);
      assert.equal(looking.size, whole.length);
    }
  }
});

test('every accepted extension has a media type, and only harmless types are displayed inline', () => {
  for (const extension of defaultExtensions)
    assert.notEqual(mediaTypeOf(extension), 'application/octet-stream', extension);
  assert.equal(mediaTypeOf('unheard-of'), 'application/octet-stream');
  assert.equal(mediaTypeOf('constructor'), 'application/octet-stream');
  for (const type of ['image/svg+xml', 'text/html', 'application/xml', 'application/zip', 'text/csv']) {
    assert.equal(isShownInline(type), false, type);
  }
  for (const [path, extension] of [
    ['a/b.PNG', 'png'],
    ['a.b/c', null],
    ['.png', null],
    ['a.', null],
    ['a.tar.gz', 'gz'],
  ] as const) {
    assert.equal(extensionOf(path), extension, path);
  }
});
