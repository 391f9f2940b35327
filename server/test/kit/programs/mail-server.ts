import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail server that keeps what it gets, decoded. */
export interface TestMailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly string[];
  /** Resolves to the next mail that contains the text, also if it has come already. */
  next(containing: string): Promise<string>;
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<TestMailServer> {
  const mails: string[] = [];
  const waiting = new Set<() => void>();
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'], allowInsecureAuth: true },
    onData(stream, _session, done) {
      text(stream).then((raw) => {
        mails.push(decoded(raw));
        done();
        for (const look of waiting) look();
      }, done);
    },
    ...options,
  });
  // Whoever hangs up in the middle is no fault of the server.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    next: (containing) =>
      new Promise((resolve) => {
        const look = () => {
          const found = mails.find((mail) => mail.includes(containing));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Quoted-printable (RFC 2045, section 6.7) as text; other encodings are left as they are. */
function decoded(raw: string): string {
  return raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
