import type { Transporter } from 'nodemailer';
import { type Mail, MailError, type Mailer } from './mail.ts';

export interface SmtpOptions {
  /** `smtps://user:password@host:465`, or `smtp://…:587`, which is encrypted by STARTTLS where the server offers it. */
  readonly url: string;
  /** The sender, as `Name <address>` or an address alone. */
  readonly from: string;
}

/** A mail server that stops answering must not hold up the mails behind it. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;

/** Sends by SMTP, over a connection for each mail. The library is loaded at the first use. */
export function smtpMailer({ url, from }: SmtpOptions): Mailer {
  let transport: Promise<Transporter> | undefined;
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    const timeouts = { connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: SILENCE_MS };
    const transport = { url, ...timeouts, disableFileAccess: true, disableUrlAccess: true };
    // RFC 3834: no out-of-office answers to what a program has sent.
    return createTransport(transport, { from, headers: { 'Auto-Submitted': 'auto-generated' } });
  };
  const use = async (run: (transport: Transporter) => Promise<unknown>) => {
    transport ??= open();
    try {
      await run(await transport);
    } catch (error) {
      throw mailErrorOf(error);
    }
  };
  return {
    isOn: true,
    send: ({ to, subject, text, html }: Mail) =>
      // As an object: an address in a string may hold several.
      use((smtp) => smtp.sendMail({ to: { name: '', address: to }, subject, text, html })),
    check: () => use((smtp) => smtp.verify()),
  };
}

/** Codes of nodemailer; its messages quote addresses and answers of the server. */
function mailErrorOf(error: unknown): MailError {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const detail = typeof responseCode === 'number' ? ` It answered ${responseCode}.` : '';
  if (code === 'EAUTH' || code === 'ENOAUTH' || code === 'EOAUTH2') return new MailError('sign_in_refused', { detail });
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    // RFC 5321, section 4.2.1: from 500 on, the same mail is refused again.
    return new MailError('mail_refused', { isFinal: typeof responseCode === 'number' && responseCode >= 500, detail });
  }
  return new MailError('unreachable', { detail: typeof code === 'string' ? ` (${code})` : '' });
}
