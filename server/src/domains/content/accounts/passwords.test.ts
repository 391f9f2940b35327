import assert from 'node:assert/strict';
import { argon2, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { runForTenant } from '../../../concurrency/tenant.ts';
import { canonicalEmail } from './emails.ts';
import { checkPassword, createPasswords, PASSWORD_COST } from './passwords.ts';

const derive = promisify(argon2);
const passwords = createPasswords(randomBytes);

test('createPasswords makes PHC strings of argon2id that verify only their password', async () => {
  const encoded = await passwords.hash('correct horse');
  assert.match(encoded, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.equal(await passwords.verify('correct horse', encoded), true);
  assert.equal(await passwords.verify('correct horsf', encoded), false);
  assert.notEqual(await passwords.hash('correct horse'), encoded);
});

test('createPasswords verifies hashes of other parameters with those parameters', async () => {
  // A test vector of the reference implementation (its test.c).
  const encoded = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  assert.equal(await passwords.verify('password', encoded), true);
  assert.equal(await passwords.verify('passwore', encoded), false);
});

test('createPasswords treats composed and decomposed letters as the same password', async () => {
  assert.equal(await passwords.verify('pa\u0308sswort', await passwords.hash('p\u00e4sswort')), true);
});

test('createPasswords refuses a password without a stored hash after the same work', async () => {
  const work: unknown[] = [];
  const watched = createPasswords(randomBytes, PASSWORD_COST, async (algorithm, parameters) => {
    const { message, nonce, ...cost } = parameters;
    work.push([algorithm, String(message).length, (nonce as Buffer).length, cost]);
    return derive(algorithm, parameters);
  });
  const encoded = await watched.hash('correct horse');
  for (const stored of [encoded, null]) assert.equal(await watched.verify('wrong horse!!', stored), false);
  const [, known, unknown] = work;
  assert.deepEqual(unknown, known);
  assert.deepEqual(known, ['argon2id', 13, 16, { tagLength: 32, memory: 19_456, passes: 2, parallelism: 1 }]);
});

test('createPasswords refuses a caller over its share of the hashes, and serves others', async () => {
  const hash = () => passwords.hash('correct horse');
  const many = Promise.allSettled(Array.from({ length: 30 }, () => runForTenant('alice', hash)));
  assert.match(await runForTenant('bob', hash), /^\$argon2id/);
  const refused = (await many).filter((result) => result.status === 'rejected');
  assert.equal(refused.length, 30 - 2 - 16, 'two run, sixteen wait');
  for (const { reason } of refused) assert.ok(reason instanceof NotevaultError && reason.code === 'unavailable');
  assert.equal(await passwords.verify('x', await passwords.hash('y')), false);
});

test('checkPassword accepts 8 characters to 256 bytes', () => {
  assert.throws(() => checkPassword('1234567'), { code: 'password_too_short' });
  assert.throws(() => checkPassword('😀'.repeat(7)), { code: 'password_too_short' });
  assert.throws(() => checkPassword('é'.repeat(129)), { code: 'password_too_long' });
  checkPassword('12345678');
  checkPassword('é'.repeat(128));
});

test('canonicalEmail returns one form of an e-mail, however it is written', () => {
  assert.equal(canonicalEmail(' Alice@Example.ORG\n'), 'alice@example.org');
  assert.equal(canonicalEmail('ja\u0308rvi@example.org'), 'järvi@example.org');
  for (const wrong of [
    '',
    'alice',
    '@example.org',
    'alice@',
    'a b@c',
    'a@b@c',
    'a\0@b',
    null,
    7,
    `${'a'.repeat(254)}@b`,
  ]) {
    assert.equal(canonicalEmail(wrong), null);
  }
});
