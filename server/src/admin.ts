import { chmod, rm } from 'node:fs/promises';
import { errors, NotevaultError } from '@notevault/protocol/errors.ts';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import type { App } from './app.ts';
import { adminSocketPath } from './data-folder.ts';

/** What an operator may do to a running server, and from the command line to a data folder nobody serves. */
export interface AdminVerbs {
  createUser(
    email: string,
    password: string | undefined,
    role: 'admin' | 'member',
  ): Promise<{ email: string; role: string }>;
  /** A raw invite, shown once. */
  invite(email: string | undefined): Promise<string>;
  setPlan(email: string, plan: string): Promise<void>;
  /** A raw reset token, shown once. */
  issueReset(email: string): Promise<string>;
  /** A session of the account named, or of the only one: how the command line writes through a running server. */
  openSession(email: string | undefined): Promise<{ url: string; token: string }>;
  /** Makes the search index of a vault of the account named, or of the only one, anew; resolves to the notes in it. */
  rebuildIndex(email: string | undefined, vaultId: string): Promise<number>;
  /** How many notes the rebuilding of a vault's index has come to; 0 when there is none. */
  rebuiltNotes(vaultId: string): Promise<number>;
}

/** What the verbs work with. */
export type Administered = Pick<App, 'accounts' | 'vaults' | 'search'>;

export function adminVerbs({ accounts, vaults, search }: Administered, url: () => string): AdminVerbs {
  const rebuilt = new Map<string, number>();
  return {
    createUser: async (email, password, role) => {
      const user = await accounts.createUser(email, password, role);
      return { email: user.email, role: user.role };
    },
    invite: (email) => accounts.invite(email),
    setPlan: async (email, plan) => {
      await accounts.setPlan(email, plan);
    },
    issueReset: (email) => accounts.issueReset(email),
    openSession: async (email) => {
      const { token } = await accounts.openSession(email);
      return { url: url(), token };
    },
    rebuildIndex: async (email, vaultId) => {
      const { token } = await accounts.openSession(email);
      const principal = await accounts.authenticate(`Bearer ${token}`);
      const vault = await vaults.openVault(principal, vaultId, 'read');
      try {
        return (await search.rebuild(vault, (notes) => rebuilt.set(vaultId, notes))).notes;
      } finally {
        rebuilt.delete(vaultId);
      }
    },
    rebuiltNotes: async (vaultId) => rebuilt.get(vaultId) ?? 0,
  };
}

/**
 * A server on a Unix socket in the data folder, for the operator's own user alone (0600): `POST /<verb>` with a JSON list
 * of arguments. Who can open it can read the key file beside it too.
 */
export async function adminSocket(
  app: Administered,
  dataDir: string,
  url: () => string,
  log: FastifyBaseLogger,
): Promise<AsyncDisposable> {
  const verbs = adminVerbs(app, url);
  const path = adminSocketPath(dataDir);
  const server = Fastify({ logger: false });
  server.setErrorHandler((error, _request, reply) => {
    const known = error instanceof NotevaultError ? error : new NotevaultError('internal');
    if (known !== error) log.error({ err: error }, 'admin request failed');
    reply.code(errors[known.code].status).send({ code: known.code, details: known.details });
  });
  for (const [name, verb] of Object.entries(verbs)) {
    server.post(`/${name}`, async ({ body }) => {
      // JSON has no undefined: an argument left out comes as null.
      const args = (body as unknown[]).map((arg) => arg ?? undefined);
      return { result: (await (verb as (...args: unknown[]) => Promise<unknown>)(...args)) ?? null };
    });
  }
  // Left by a killed server; the folder's lock says that nobody listens on it.
  await rm(path, { force: true });
  await server.listen({ path });
  await chmod(path, 0o600);
  return { [Symbol.asyncDispose]: () => server.close() };
}
