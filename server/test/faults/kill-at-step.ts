import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Client } from 'pg';

/*
 * Loaded into a command by NODE_OPTIONS=--import: kills it as it begins the step that KILL_AT names, as
 * `<number> <pattern>`. A step is a call that changes files or the database: `open /data/x`, `rename /data/x`, or the
 * text of a statement.
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
Client.prototype.query = wrapped(Client.prototype.query, (query) =>
  typeof query === 'string' ? query : String(query.text ?? query.cursor?.text ?? query.toString()),
);
