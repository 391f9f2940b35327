import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shellRequestOf } from './shell-request.ts';

const ORIGIN = 'https://notes.example.org';

function read(path: string, change: { mode?: RequestMode; method?: string } = {}) {
  return shellRequestOf({ url: new URL(path, ORIGIN).href, method: 'GET', mode: 'navigate', ...change }, ORIGIN);
}

test('shellRequestOf reads the pages of the app and its hashed files', () => {
  for (const path of [
    '/',
    '/index.html',
    '/?open=search',
    '/vaults',
    '/vaults/a/notes/b',
    '/settings',
    '/admin/users',
  ]) {
    assert.equal(read(path), 'page', path);
  }
  assert.equal(read('/assets/index-3f9a.js', { mode: 'cors' }), 'file');
});

test('shellRequestOf leaves the rest to the server: its own answers, secrets, and what is not a page', () => {
  for (const path of [
    '/api/me',
    '/oauth/authorize?client_id=a',
    '/s/token',
    '/media/a/b.png',
    '/healthz',
    '/vaultsx',
    '/?invite=secret',
    '/invite',
    '/?reset=secret',
    '/assets/../api/me',
    'https://elsewhere.example/vaults',
  ]) {
    assert.equal(read(path), null, path);
  }
  assert.equal(read('/vaults', { method: 'POST' }), null);
  assert.equal(read('/vaults', { mode: 'cors' }), null);
});

test('shellRequestOf reads pages and files below the path of the app only', () => {
  const at = (path: string, mode: RequestMode = 'navigate') =>
    shellRequestOf({ url: new URL(path, ORIGIN).href, method: 'GET', mode }, `${ORIGIN}/my/notes/`);
  for (const path of ['/my/notes/', '/my/notes/vaults/a']) assert.equal(at(path), 'page', path);
  assert.equal(at('/my/notes/assets/index-3f9a.js', 'cors'), 'file');
  for (const path of ['/', '/vaults/a', '/my/notes', '/my/notesx/', '/my/notes/api/me'])
    assert.equal(at(path), null, path);
});
