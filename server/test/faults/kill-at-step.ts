import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';

/*
 * Loaded into a command by NODE_OPTIONS=--import: kills it as it begins the step that KILL_AT names, as
 * `<number> <pattern>`. A step is a call that changes files or the database: `open /data/x`, `rename /data/x`, or the
 * text of a statement. Statements are read where they leave the process: the bundled program has its own copy of the
 * driver, which nothing here could wrap.
 */

const [, number = '1', pattern = '$^'] = /^(\d+) (.*)$/.exec(process.env.KILL_AT ?? '') ?? [];
const step = new RegExp(pattern);
let left = Number(number);

function reached(text: string): void {
  if (!step.test(text)) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

// biome-ignore lint/suspicious/noExplicitAny: wraps functions of any signature.
function wrapped(call: (...args: any[]) => any, textOf: (first: any) => string) {
  // biome-ignore lint/suspicious/noExplicitAny: wraps functions of any signature.
  return function (this: unknown, ...args: any[]) {
    reached(textOf(args[0]));
    return call.apply(this, args);
  };
}

const { promises } = fs;
promises.open = wrapped(promises.open, (path) => `open ${path}`);
promises.rename = wrapped(promises.rename, (path) => `rename ${path}`);
fs.renameSync = wrapped(fs.renameSync, (path) => `rename ${path}`);
syncBuiltinESMExports();
Socket.prototype.write = wrapped(Socket.prototype.write, statementOf);

/** The statement of a message to PostgreSQL, or ''. Source: PostgreSQL documentation, 54.7 "Message Formats". */
function statementOf(message: unknown): string {
  if (!Buffer.isBuffer(message)) return '';
  const [type, ...texts] = [message.toString('latin1', 0, 1), ...message.toString('utf8', 5).split('\0')];
  if (type === 'Q') return texts[0] ?? '';
  // The first text of a Parse message is the name of the prepared statement.
  return type === 'P' ? (texts[1] ?? '') : '';
}
