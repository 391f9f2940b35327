import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CliError } from './error-messages.ts';

/** Reads a new password: typed twice without echo, or the first line of standard input. */
export async function askPassword(fromStdin: boolean): Promise<string> {
  if (fromStdin) return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? '';
  if (!process.stdin.isTTY) {
    throw new CliError('No terminal to ask for a password: pipe it in and add --password-stdin.');
  }
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: true });
  try {
    const ask = async (question: string) => {
      process.stderr.write(question);
      const answer = await terminal.question('');
      process.stderr.write('\n');
      return answer;
    };
    const password = await ask('Password: ');
    if ((await ask('Repeat password: ')) !== password) throw new CliError('The passwords differ.');
    return password;
  } finally {
    terminal.close();
  }
}
