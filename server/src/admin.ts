import { chmod, rm } from 'node:fs/promises';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { NewInvitation } from '@notevault/protocol/members.ts';
import type { NewPublicLink } from '@notevault/protocol/public-links.ts';
import { startLink } from '@notevault/protocol/start-link.ts';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { App } from './app.ts';
import { adminSocketPath } from './data/data-folder.ts';
import { closeConnectionsOnStop } from './http/connections/graceful-shutdown.ts';
import { answerClientError, errorHandler, headersFor, requestIdOf } from './http/errors.ts';
import { refusalOf, refuseOtherMethods } from './http/other-methods.ts';
import { machineStatus } from './machine-status.ts';
import { versionWithCommit } from './version.ts';

export type AdminDeps = Pick<
  App,
  'accounts' | 'identities' | 'mails' | 'vaults' | 'members' | 'search' | 'admin' | 'notes' | 'publicLinks'
>;

/** Admin operations on a running server, or, from the command line, on a data folder that no server uses. */
export type AdminCommands = ReturnType<typeof adminCommands>;

/** The addresses of the server: one for commands on its machine, one for people. */
export interface ServerPlace {
  /** The address on which it listens. */
  readonly address: () => string;
  /** The configured public address; null: people use the other one too. */
  readonly publicUrl: string | null;
  readonly dataDir: string;
}

export function adminCommands(
  { accounts, identities, mails, vaults, members, search, admin, notes, publicLinks }: AdminDeps,
  { address, publicUrl, dataDir }: ServerPlace,
) {
  const linkTo = (page: 'setup' | 'invite' | 'reset', token: string) => startLink(publicUrl ?? address(), page, token);
  const rebuilt = new Map<string, number>();
  // Read at the start: later the sources may be of another commit.
  const version = versionWithCommit();
  const principalOf = async (email: string | undefined) => {
    const { token } = await accounts.openSession(email);
    return accounts.authenticate(`Bearer ${token}`);
  };
  /** Opens a vault that the named account, or the only one, owns. Throws `owner_required`. */
  const ownVault = async (email: string | undefined, vaultId: string) => {
    const principal = await principalOf(email);
    const vault = await vaults.openVault(principal, vaultId, 'write');
    if (vault.role !== 'owner') throw new NotevaultError('owner_required');
    return { principal, vault };
  };
  return {
    async createUser(email: string, password: string | undefined, sent: 'admin' | 'member') {
      const { email: canonical, role } = await accounts.createUser(email, password, sent);
      return { email: canonical, role };
    },
    /** Returns the link to the page that makes the first account; null once there is an account. */
    async setupLink() {
      const token = await accounts.setupToken();
      return token === null ? null : linkTo('setup', token);
    },
    /** Returns an invite link, which is shown once. */
    invite: async (email: string | undefined) => linkTo('invite', (await accounts.createInvite(email)).token),
    async setPlan(email: string, plan: string) {
      await accounts.setPlan(email, plan);
    },
    /** Throws `last_admin`. */
    async setSuspended(email: string, suspended: boolean) {
      await accounts.setSuspended(email, suspended);
    },
    /** Returns a link that sets a new password, which is shown once. */
    issueReset: async (email: string) => linkTo('reset', await accounts.issueReset(email)),
    /** Returns a link that signs in once without a password, which is shown once. */
    issueLoginLink: async (email: string) => accounts.issueLoginLink(email),
    /** Sends a mail at once. Throws `mail_off`, `mail_failed`. */
    testMail: async (email: string) => mails.sendTest(email, null),
    /** Confirms the address of an account, or without one all addresses; resolves to how many were not confirmed. */
    confirmEmail: async (email: string | undefined) => accounts.confirmNamed(email ?? null),
    /** Removes the second factor of an account. */
    resetSecondFactor: async (email: string) => identities.resetNamed(email),
    /**
     * Opens a session of the named account, or of the only one. The command line uses it to write through a running
     * server.
     */
    async openSession(email: string | undefined) {
      const { token } = await accounts.openSession(email);
      return { url: address(), token };
    },
    /**
     * Rebuilds the search index of a vault of the named account, or of the only one. Resolves to the number of notes in
     * the index.
     */
    async rebuildIndex(email: string | undefined, vaultId: string) {
      const vault = await vaults.openVault(await principalOf(email), vaultId, 'read');
      try {
        return (await search.rebuild(vault, (notes) => rebuilt.set(vaultId, notes))).notes;
      } finally {
        rebuilt.delete(vaultId);
      }
    },
    /** How many notes the running rebuild of a vault's index has read; 0 when there is none. */
    rebuiltNotes: async (vaultId: string) => rebuilt.get(vaultId) ?? 0,
    /** Lists the members and invitations of a vault as the named account, or the only one, sees them. */
    listMembers: async (email: string | undefined, vaultId: string) => members.list(await principalOf(email), vaultId),
    /** Invites to a vault; returns the address to send, which is shown once. */
    inviteMember: async (email: string | undefined, vaultId: string, invitation: NewInvitation) =>
      (await members.invitations.create(await principalOf(email), vaultId, invitation)).url,
    /** Removes a member by their e-mail. Throws `member_not_found`. */
    async removeMember(email: string | undefined, vaultId: string, member: string) {
      const principal = await principalOf(email);
      const list = await members.list(principal, vaultId);
      const canonical = accounts.canonicalEmail(member);
      const found = list.members.find((each) => each.email === canonical);
      // Members see no e-mail of another.
      if (found === undefined)
        throw new NotevaultError(list.invitations === undefined ? 'owner_required' : 'member_not_found');
      await members.remove(principal, vaultId, found.user_id);
    },
    listPublicLinks: async (email: string | undefined, vaultId: string) =>
      publicLinks.list((await ownVault(email, vaultId)).vault),
    /** Makes a public link to a note, by a path that ends in `.md`, or to a folder; returns its address. */
    async makePublicLink(
      email: string | undefined,
      vaultId: string,
      path: string,
      options: Pick<NewPublicLink, 'expires_in' | 'password'>,
    ) {
      const { principal, vault } = await ownVault(email, vaultId);
      const target = /\.md$/i.test(path) ? { note_id: (await notes.getByPath(vault, path)).id } : { folder: path };
      return (await publicLinks.create(principal, vault, { ...target, ...options })).url;
    },
    /** Throws `public_link_not_found`. */
    endPublicLink: async (email: string | undefined, vaultId: string, id: string) =>
      publicLinks.end((await ownVault(email, vaultId)).vault, id),
    handOver: (vaultId: string, email: string) => members.handOver(vaultId, email),
    /** The address on which the server listens. */
    address: async () => address(),
    status: async () => ({ ...(await admin.health()), version, ...(await machineStatus(dataDir)) }),
  };
}

/**
 * Serves the operations on a Unix socket in the data folder that only the operator's own user can open (0600): `POST
 * /<operation>` with a JSON list of arguments. A user who can open it can also read the key file beside it.
 */
export async function adminSocket(
  commands: AdminCommands,
  dataDir: string,
  log: FastifyBaseLogger,
): Promise<AsyncDisposable> {
  const path = adminSocketPath(dataDir);
  const server = buildAdmin(commands, log);
  // Left by a killed server: this process holds the folder's lock, so nothing listens on it.
  await rm(path, { force: true });
  await server.listen({ path, listenTextResolver: () => 'the admin socket listens' });
  await chmod(path, 0o600);
  return { [Symbol.asyncDispose]: () => server.close() };
}

/** Answers, and reports errors, in the shape of the API. */
function buildAdmin(commands: AdminCommands, log: FastifyBaseLogger): FastifyInstance {
  const server = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
  });
  server.setErrorHandler(errorHandler(null));
  server.setNotFoundHandler((request) => {
    throw refusalOf(request) ?? new NotevaultError('not_found_route');
  });
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(headersFor(request.id));
  });
  closeConnectionsOnStop(server);
  for (const [name, command] of Object.entries(commands)) {
    server.post(`/${name}`, async ({ body }) => {
      if (!Array.isArray(body)) throw invalid({ body: ['must be a list of arguments'] });
      // JSON has no undefined; an omitted argument arrives as null.
      const args = body.map((arg: unknown) => arg ?? undefined);
      return { result: (await (command as (...args: unknown[]) => Promise<unknown>)(...args)) ?? null };
    });
    refuseOtherMethods(server, `/${name}`, new Set(['POST']));
  }
  return server;
}
