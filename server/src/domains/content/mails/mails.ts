import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { Type } from 'typebox';
import { IDLE } from '../../../concurrency/idle.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import { type Database, deleteUntil, type WriteHandle } from '../../../ports/database/database.ts';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import { MailError, type Mailer, type MailFailure } from '../../../ports/mail/mail.ts';
import type { Keys } from '../../foundation/keys/keys.ts';
import * as store from './mails.store.ts';
import type { OutgoingMailRow } from './mails.tables.ts';
import { type MailKind, type MailValues, mailKinds, type RenderMail } from './templates/kinds.ts';

export type { MailKind };

const DAY_MS = 24 * 60 * 60 * 1000;
/** A mail waits for a mail server that is down for a day at most. */
export const MAIL_MS = DAY_MS;
/** Longer than a mail server may take for one mail. */
const CLAIM_MS = 5 * 60_000;
const FIRST_WAIT_MS = 30_000;
const WAIT_MS_MAX = 60 * 60_000;
/** Maximum mails per run of the job. */
const AT_ONCE = 50;

/** Facts about a recipient, read at the time of sending. */
export interface Recipient {
  /** BCP 47; null for somebody without an account, or one that never reported it. */
  readonly locale: string | null;
  /** The link, where it is made only now. */
  readonly link?: string;
}

export interface MailsDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly mailer: Mailer;
  readonly publicUrl: string;
  readonly render: RenderMail;
  readonly hooks: {
    /** Resolves to null for a mail that is not to be sent. Asked at each attempt. */
    recipient(kind: MailKind, address: string): Promise<Recipient | null>;
  };
}

/** A kind of mail with the values in its text. */
export type MailContent = {
  [Kind in MailKind]: { readonly kind: Kind; readonly values: MailValues[Kind] };
}[MailKind];

/** A mail to be sent; of a `reset` the link is made when it is sent. */
export type NewMail = MailContent & {
  readonly to: string;
  /** The language of a recipient whose own is not known. */
  readonly locale?: string | null;
};

/** A mail, sealed; writing it into a transaction has it sent after the commit. */
export interface SealedMail {
  /** @param userId the account that the mail is about, with which it goes. */
  write(handle: WriteHandle, userId?: UserId): Promise<void>;
}

const stored = new SealedJson(
  1,
  Type.Object({
    kind: Type.Enum([...mailKinds]),
    to: Type.String(),
    locale: Type.Union([Type.String(), Type.Null()]),
    values: Type.Record(Type.String(), Type.String()),
  }),
);
const contextOf = (id: string) => ({ kind: 'outgoing_mails.data', row: id, version: 0 });

const NOTHING: SealedMail = { write: async () => undefined };

/** Outgoing mails. A request only stores them; a job sends them. */
export class Mails {
  readonly #deps: MailsDeps;

  constructor(deps: MailsDeps) {
    this.#deps = deps;
  }

  get isOn(): boolean {
    return this.#deps.mailer.isOn;
  }

  /**
   * Seals a mail before the transaction that writes it begins. Without a mail server there is nothing to write.
   *
   * @param ms for how long the mail is worth sending, a day at most.
   */
  async prepare({ kind, to, locale = null, values }: NewMail, ms = MAIL_MS): Promise<SealedMail> {
    const { keys, clock } = this.#deps;
    if (!this.isOn) return NOTHING;
    const id = clock.uuid();
    const data = stored.seal(await keys.openServer(), contextOf(id), { kind, to, locale, values: { ...values } });
    const now = clock.now();
    const row = { id, data, attempts: 0, next_at: now, expires_at: now + Math.min(ms, MAIL_MS) };
    return {
      write: async (handle, userId) => void (await handle.run(store.insertMail, { ...row, user_id: userId ?? null })),
    };
  }

  /** Sends what is due, one mail after another; stops at a fault of the mail server, which the next mail would meet too. */
  async sendDue(signal?: AbortSignal): Promise<number | typeof IDLE> {
    const { db, clock } = this.#deps;
    if (!this.isOn) {
      await deleteUntil(db, store.deleteExpiredMails, clock.now());
      return IDLE;
    }
    for (let sent = 0; ; sent++) {
      if (sent === AT_ONCE || signal?.aborted === true) return sent;
      const now = clock.now();
      const due = (await db.get(store.findDue, { now })) ?? (await db.get(store.findExpired, { now }));
      if (due === undefined) return sent;
      const claim = { id: due.id, now, until: now + CLAIM_MS };
      const row = await db.transact((handle) => handle.get(store.claimMail, claim));
      if (row === undefined) continue;
      if (!(await this.#sendOne(row))) return sent;
    }
  }

  /** Sends one mail at once, for the operator. Throws `mail_off`, `mail_failed`. */
  async sendTest(to: string, locale: string | null): Promise<void> {
    const { mailer, render, publicUrl } = this.#deps;
    if (!this.isOn) throw new NotevaultError('mail_off');
    await mailer.send(render('test', {}, { to, locale, publicUrl })).catch(failed);
  }

  /** Returns what admins see of mails. */
  async state() {
    const { db } = this.#deps;
    const found = await db.get(store.findState, { id: 1 });
    const waiting = (await db.get(store.countMails, {}))?.waiting ?? 0;
    const { failed_at = null, reason = null, dropped = 0, dropped_at = null } = found ?? {};
    return { isOn: this.isOn, waiting, failedAt: failed_at, reason, dropped, droppedAt: dropped_at };
  }

  /** Resolves to false when the mail server is at fault. */
  async #sendOne(row: Pick<OutgoingMailRow, 'id' | 'data' | 'attempts' | 'expires_at'>): Promise<boolean> {
    const { keys, clock, mailer, render, publicUrl, hooks } = this.#deps;
    if (row.expires_at <= clock.now()) {
      await this.#end(row.id, 'dropped');
      return true;
    }
    const { kind, to, locale, values } = stored.open(await keys.openServer(), contextOf(row.id), row.data);
    const recipient = await hooks.recipient(kind, to);
    if (recipient === null) {
      await this.#end(row.id, 'needless');
      return true;
    }
    const all = recipient.link === undefined ? values : { ...values, link: recipient.link };
    try {
      await mailer.send(render(kind, all, { to, locale: recipient.locale ?? locale, publicUrl }));
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      await this.#failed(row, error);
      return error.code === 'mail_refused';
    }
    await this.#end(row.id, 'sent');
    return true;
  }

  async #failed({ id, attempts }: Pick<OutgoingMailRow, 'id' | 'attempts'>, { code, isFinal }: MailError) {
    const { db, clock } = this.#deps;
    const now = clock.now();
    await db.transact(async (handle) => {
      await handle.run(store.putFailure, { now, reason: code satisfies MailFailure });
      if (!isFinal) {
        const wait = Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), WAIT_MS_MAX);
        await handle.run(store.delayMail, { id, until: now + wait });
        return;
      }
      await handle.run(store.deleteMail, { id });
      await handle.run(store.countDropped, { now });
    });
  }

  async #end(id: string, how: 'sent' | 'dropped' | 'needless'): Promise<void> {
    const { db, clock } = this.#deps;
    await db.transact(async (handle) => {
      await handle.run(store.deleteMail, { id });
      if (how === 'sent') await handle.run(store.clearFailure, {});
      if (how === 'dropped') await handle.run(store.countDropped, { now: clock.now() });
    });
  }
}

function failed(error: unknown): never {
  throw error instanceof MailError ? new NotevaultError('mail_failed', { reason: error.message }, error) : error;
}
