import type { Mail, MailError, Mailer } from '../../src/ports/mail/mail.ts';

/** A mailer that keeps what it is given to send. */
export class Mailbox implements Mailer {
  readonly isOn = true;
  readonly sent: Mail[] = [];
  /** While set, nothing is sent. */
  failure: MailError | null = null;
  /** How often a mail was tried. */
  tries = 0;

  async send(mail: Mail): Promise<void> {
    this.tries += 1;
    if (this.failure !== null) throw this.failure;
    this.sent.push(mail);
  }

  async check(): Promise<void> {
    if (this.failure !== null) throw this.failure;
  }

  /** The token of the link in the last mail to an address. */
  tokenFor(address: string): string {
    const mail = this.sent.findLast(({ to }) => to === address);
    return decodeURIComponent(/#\w+=(\S+)/.exec(mail?.text ?? '')?.[1] ?? '');
  }
}
