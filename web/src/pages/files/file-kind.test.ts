import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileKind } from './file-kind.ts';

test('fileKind shows what a browser can show, and offers everything else for download', () => {
  assert.equal(fileKind('image/svg+xml'), 'image');
  assert.equal(fileKind('audio/mpeg'), 'audio');
  assert.equal(fileKind('video/mp4'), 'video');
  assert.equal(fileKind('application/pdf'), 'pdf');
  assert.equal(fileKind('text/csv; charset=utf-8'), 'text');
  assert.equal(fileKind('text/html'), 'text');
  assert.equal(fileKind('application/json'), 'text');
  assert.equal(fileKind('application/zip'), 'other');
  assert.equal(fileKind(null), 'other');
});
