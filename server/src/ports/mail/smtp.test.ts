import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freePort } from '../../../test/kit/programs/free-port.ts';
import { startMailServer } from '../../../test/kit/programs/mail-server.ts';
import { noMailer } from './none.ts';
import { smtpMailer } from './smtp.ts';

const from = 'Notevault <notes@example.org>';
const mail = { to: 'alice@example.org', subject: 'Hello', text: 'a text\n', html: '<p>a page</p>' };

describe('the mailer by SMTP', () => {
  test('it signs in and sends text and HTML from the configured sender to one address', async () => {
    const signedIn: unknown[] = [];
    await using server = await startMailServer({
      authOptional: false,
      onAuth({ username, password }, _session, done) {
        signedIn.push([username, password]);
        done(null, { user: username });
      },
    });
    const mailer = smtpMailer({ url: `smtp://user:p%40ss@127.0.0.1:${server.port}`, from });
    await mailer.check();
    await mailer.send(mail);
    assert.deepEqual(signedIn, [
      ['user', 'p@ss'],
      ['user', 'p@ss'],
    ]);
    const [sent = ''] = server.mails;
    for (const part of [
      'From: Notevault <notes@example.org>',
      'To: alice@example.org',
      'Auto-Submitted: auto-generated',
    ]) {
      assert.ok(sent.includes(part), part);
    }
    assert.match(sent, /Content-Type: text\/plain[\s\S]*a text[\s\S]*Content-Type: text\/html[\s\S]*<p>a page<\/p>/);
  });

  test('an address is one recipient, whatever it contains', async () => {
    const recipients: string[] = [];
    await using server = await startMailServer({
      onRcptTo({ address }, _session, done) {
        recipients.push(address);
        done();
      },
    });
    const to = 'alice,mallory@example.org';
    await smtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from }).send({ ...mail, to });
    assert.equal(recipients.length, 1);
    assert.match(recipients[0] ?? '', /alice,mallory/);
  });

  test('a refused sign-in, an absent server and a refused recipient are told apart without an address', async () => {
    const refuse = (code: number) => Object.assign(new Error('no, alice@example.org'), { responseCode: code });
    await using closed = await startMailServer({ onAuth: (_auth, _session, done) => done(refuse(535)) });
    await using refusing = await startMailServer({ onRcptTo: (_to, _session, done) => done(refuse(550)) });
    await using busy = await startMailServer({ onRcptTo: (_to, _session, done) => done(refuse(450)) });
    const failureOf = async (url: string) => {
      try {
        await smtpMailer({ url, from }).send(mail);
      } catch (error) {
        const { code, isFinal, message } = error as { code: string; isFinal: boolean; message: string };
        assert.doesNotMatch(message, /@/);
        return [code, isFinal];
      }
      return null;
    };
    assert.deepEqual(await failureOf(`smtp://user:wrong@127.0.0.1:${closed.port}`), ['sign_in_refused', false]);
    assert.deepEqual(await failureOf(`smtp://127.0.0.1:${await freePort()}`), ['unreachable', false]);
    assert.deepEqual(await failureOf(`smtp://127.0.0.1:${refusing.port}`), ['mail_refused', true]);
    assert.deepEqual(await failureOf(`smtp://127.0.0.1:${busy.port}`), ['mail_refused', false]);
    await assert.rejects(noMailer().send(mail), { code: 'off' });
  });
});
