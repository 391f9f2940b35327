import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { openFixtures } from '../../../../test/kit/fixtures.ts';
import { Mailbox } from '../../../../test/kit/mailbox.ts';
import type { Database } from '../../../ports/database/database.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import { MailError } from '../../../ports/mail/mail.ts';
import type { MailsTables } from './mails.tables.ts';

const { statement } = statementsOver<MailsTables>();
const allMails = statement((db, _: Record<never, never>) => db.selectFrom('outgoing_mails').selectAll());
const password = 'correct horse battery';
const unreachable = new MailError('unreachable');

onEachEngine('outgoing mails', (open) => {
  /** Mails of an account that has just registered, whose address is to be confirmed. */
  const start = async () => {
    const mailer = new Mailbox();
    const fixtures = await openFixtures(open, { mailer });
    const { user } = await fixtures.accounts.register({ email: 'alice@example.org', password });
    return { ...fixtures, mailer, user, again: () => openFixtures(async () => fixtures.db, { mailer }) };
  };
  const waiting = async (db: Database) => (await db.all(allMails, {})).length;

  test('a mail is sent once, after the transaction that wrote it', async () => {
    const { db, mails, mailer } = await start();
    assert.equal(mailer.sent.length, 0);
    assert.equal(await mails.sendDue(), 1);
    assert.equal(await mails.sendDue(), 0);
    assert.deepEqual(
      mailer.sent.map(({ to }) => to),
      ['alice@example.org'],
    );
    assert.equal(await waiting(db), 0);
    await assert.rejects(
      db.transact(async (handle) => {
        await (await mails.prepare({ kind: 'reset', to: 'alice@example.org', values: {} })).write(handle);
        throw new Error('rolled back');
      }),
    );
    assert.equal(await waiting(db), 0);
  });

  test('the address and link of a waiting mail are sealed', async () => {
    const { db } = await start();
    const [row] = await db.all(allMails, {});
    assert.doesNotMatch(row?.data.toString('latin1') ?? 'alice', /alice|nv_cnf_/);
  });

  test('two processes that send at once send each mail once', async () => {
    const { db, mails, mailer } = await start();
    for (let nth = 0; nth < 5; nth++) {
      const mail = await mails.prepare({
        kind: 'invitation',
        to: `p${nth}@example.org`,
        values: { link: 'x', by: 'y' },
      });
      await db.transact((handle) => mail.write(handle));
    }
    await Promise.all([mails.sendDue(), mails.sendDue(), mails.sendDue()]);
    while ((await mails.sendDue()) !== 0);
    assert.equal(mailer.sent.length, 6);
    assert.equal(new Set(mailer.sent.map(({ to }) => to)).size, 6);
  });

  test('a mail that cannot be sent is retried with growing waits, and admins are told until one is sent', async () => {
    const { mails, mailer, clock } = await start();
    mailer.failure = unreachable;
    await mails.sendDue();
    const waits: number[] = [];
    for (let minutes = 0; waits.length < 4; minutes++) {
      const before = mailer.tries;
      clock.advance({ seconds: 30 });
      await mails.sendDue();
      if (mailer.tries > before) waits.push((minutes + 1) / 2);
    }
    assert.deepEqual(
      waits.map((at, nth) => at - (waits[nth - 1] ?? 0)),
      [0.5, 1, 2, 4],
    );
    const { failedAt, reason } = await mails.state();
    assert.deepEqual([failedAt, reason], [clock.now(), 'unreachable']);
    mailer.failure = null;
    clock.advance({ minutes: 8 });
    await mails.sendDue();
    assert.equal(mailer.sent.length, 1);
    assert.equal((await mails.state()).failedAt, null);
  });

  test('a mail that was not sent for a day is dropped and counted, as is one that the mail server refuses', async () => {
    const { db, mails, mailer, clock } = await start();
    mailer.failure = unreachable;
    await mails.sendDue();
    clock.advance({ days: 1 });
    mailer.failure = null;
    await mails.sendDue();
    assert.deepEqual([mailer.sent.length, await waiting(db)], [0, 0]);
    mailer.failure = new MailError('mail_refused', { isFinal: true });
    const mail = await mails.prepare({ kind: 'invitation', to: 'bob@example.org', values: { link: 'x', by: 'y' } });
    await db.transact((handle) => mail.write(handle));
    await mails.sendDue();
    const { dropped, droppedAt, waiting: left } = await mails.state();
    assert.deepEqual([dropped, droppedAt, left], [2, clock.now(), 0]);
  });

  test('a mail whose sender was killed is sent after its claim has ended', async () => {
    const { mails, mailer, clock } = await start();
    mailer.send = async () => {
      throw new Error('the process died here');
    };
    await assert.rejects(async () => mails.sendDue(), /died here/);
    Reflect.deleteProperty(mailer, 'send');
    assert.equal(await mails.sendDue(), 0);
    clock.advance({ minutes: 5 });
    assert.equal(await mails.sendDue(), 1);
    assert.equal(mailer.sent.length, 1);
  });

  test('a mail about an account goes with it', async () => {
    const { db, accounts, user } = await start();
    await accounts.register({ email: 'bob@example.org', password, setup_token: null });
    assert.equal(await waiting(db), 2);
    await accounts.updateUser(user.id, user.id, {});
    const bob = await accounts.findByEmail('bob@example.org');
    await accounts.deleteMe({ userId: bob.id, credentialId: '' }, password);
    assert.equal(await waiting(db), 1);
  });
});
