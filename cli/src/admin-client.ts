import { request } from 'node:http';
import { type ErrorCode, errors, NotevaultError } from '@notevault/protocol/errors.ts';
import type { AdminVerbs } from '@notevault/server/admin.ts';
import { CliError } from './explain.ts';

/** The operator's verbs, done by the server that listens on a Unix socket. */
export function adminClient(socketPath: string): AdminVerbs {
  return new Proxy({} as AdminVerbs, {
    get: (_, verb) =>
      typeof verb === 'string' && verb !== 'then' ? (...args: unknown[]) => call(socketPath, verb, args) : undefined,
  });
}

async function call(socketPath: string, verb: string, args: unknown[]): Promise<unknown> {
  const { status, body } = await post(socketPath, `/${verb}`, JSON.stringify(args.map((arg) => arg ?? null)));
  const answer = JSON.parse(body) as { result?: unknown; code?: string; details?: Record<string, unknown> };
  if (status === 200) return answer.result;
  if (answer.code !== undefined && answer.code in errors) {
    throw new NotevaultError(answer.code as ErrorCode, answer.details);
  }
  throw new CliError(`The running server refused "${verb}" (status ${status}).`);
}

function post(socketPath: string, path: string, body: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(
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
            'or it is another command. Try again, or stop it first.',
          { cause },
        ),
      ),
    );
    asked.end(body);
  });
}
