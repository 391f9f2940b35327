import { type ErrorCode, errors, NotevaultError } from '@notevault/protocol/errors.ts';
import type { AdminCommands } from '@notevault/server/admin.ts';
import { http } from '@notevault/server/http/node-http.ts';
import { CliError } from './error-messages.ts';

/** Returns the admin operations of the server that listens on a Unix socket. */
export function adminClient(socketPath: string): AdminCommands {
  return new Proxy({} as AdminCommands, {
    get: (_, command) =>
      typeof command === 'string' && command !== 'then'
        ? (...args: unknown[]) => call(socketPath, command, args)
        : undefined,
  });
}

async function call(socketPath: string, command: string, args: unknown[]): Promise<unknown> {
  const { status, body } = await post(socketPath, `/${command}`, JSON.stringify(args.map((arg) => arg ?? null)));
  const answer = JSON.parse(body) as Record<string, unknown>;
  if (status === 200) return answer.result;
  throw refusalOf(status, answer) ?? new CliError(`The running server refused "${command}" (status ${status}).`);
}

/** Returns the catalogue error in a response, or null. */
function refusalOf(status: number, { error, ...details }: Record<string, unknown>): NotevaultError | null {
  if (error === undefined && typeof details.errors === 'object') return new NotevaultError('validation', details);
  const codes = Object.keys(errors) as ErrorCode[];
  const code = codes.find((each) => errors[each].status === status && errors[each].error === error);
  // Some errors repeat their text under `errors`.
  const { errors: twice, ...others } = details;
  return code === undefined ? null : new NotevaultError(code, twice === error ? others : details);
}

function post(socketPath: string, path: string, body: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = http.request(
      { socketPath, path, method: 'POST', headers: { 'content-type': 'application/json' } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => {
          text += part;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
        answer.on('error', reject);
      },
    );
    asked.on('error', (cause) =>
      reject(
        new CliError(
          `A notevault process works in the data folder, but does not answer on ${socketPath}: it may be starting, ` +
            'or be another command. Try again, or stop that process.',
          { cause },
        ),
      ),
    );
    asked.end(body);
  });
}
