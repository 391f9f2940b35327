import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { canonicalEmail } from './emails.ts';
import { checkPassword, createPasswords } from './passwords.ts';

const passwords = createPasswords(randomBytes);

test('a hash is a PHC string of argon2id that only its password opens', async () => {
  const encoded = await passwords.hash('correct horse');
  assert.match(encoded, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.equal(await passwords.verify('correct horse', encoded), true);
  assert.equal(await passwords.verify('correct horsf', encoded), false);
  assert.notEqual(await passwords.hash('correct horse'), encoded);
});

test('hashes of other parameters are verified by their own', async () => {
  // A test vector of the reference implementation (its test.c).
  const encoded = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  assert.equal(await passwords.verify('password', encoded), true);
  assert.equal(await passwords.verify('passwore', encoded), false);
});

test('letters typed composed or not are the same password', async () => {
  assert.equal(await passwords.verify('pa\u0308sswort', await passwords.hash('p\u00e4sswort')), true);
});

test('without a hash to compare with a password is wrong, after the same work', async () => {
  const encoded = await passwords.hash('correct horse');
  const time = async (work: () => Promise<boolean>) => {
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const start = performance.now();
      assert.equal(await work(), false);
      times.push(performance.now() - start);
    }
    return Math.min(...times);
  };
  const known = await time(() => passwords.verify('wrong horse', encoded));
  const unknown = await time(() => passwords.verify('wrong horse', null));
  assert.ok(unknown > known / 3 && unknown < known * 3, `${unknown} ms without a hash, ${known} ms with one`);
});

test('a long line of hashes is refused at its end, and the others get their turn', async () => {
  const results = await Promise.allSettled(Array.from({ length: 80 }, () => passwords.hash('correct horse')));
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(refused.length, 14);
  for (const { reason } of refused) assert.ok(reason instanceof NotevaultError && reason.code === 'unavailable');
  assert.equal(await passwords.verify('x', await passwords.hash('y')), false);
});

test('a password has 8 characters to 256 bytes', () => {
  assert.throws(() => checkPassword('1234567'), { code: 'password_too_short' });
  assert.throws(() => checkPassword('😀'.repeat(7)), { code: 'password_too_short' });
  assert.throws(() => checkPassword('é'.repeat(129)), { code: 'password_too_long' });
  checkPassword('12345678');
  checkPassword('é'.repeat(128));
});

test('an e-mail has one form, however it is written', () => {
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
