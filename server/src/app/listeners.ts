import type { FastifyBaseLogger } from 'fastify';
import type { Collaboration } from '../domains/reading/sync/sockets/collaboration.ts';
import { type Events, peopleChanges } from '../events.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Domains } from './domains.ts';
import type { RequestGuard } from './guard.ts';

/** Subscribes the listeners of each event, in the order in which they are called. */
export function subscribeListeners(
  events: Events,
  { cache, links, search, notes, productEvents }: Domains,
  collaboration: Collaboration,
  guard: RequestGuard,
  { metrics, log }: { readonly metrics: Metrics | null; readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'> },
): void {
  const help = 'Notes, attachments and folders written: the seqs that vaults took';
  const countWrites = metrics?.total('notevault_vault_writes_total', help);
  if (countWrites !== undefined) events.on('vaultChanged', ({ seqs }) => countWrites(seqs));
  events.on('vaultChanged', ({ vaultId, changeSeq }) => collaboration.vaultChanged(vaultId, changeSeq));
  events.on('vaultChanged', () => search.recordChange());

  events.on('vaultClosed', ({ vaultId }) => cache.evict(vaultId));
  events.on('vaultClosed', () => links.forgetOpened());
  events.on('vaultClosed', () => guard.vaultClosed());
  // Tell sockets the reason first, then close the documents.
  events.on('vaultClosed', ({ vaultId }) => collaboration.vaultClosed(vaultId));
  events.on('vaultClosed', ({ vaultId }) => notes.live.closeVault(vaultId));

  events.on('vaultOpened', ({ userId }) => productEvents.vaultOpened(userId));

  const countPeople = metrics?.counter(
    'notevault_people_changes_total',
    'Changes of the people of vaults',
    ['change'],
    peopleChanges.map((change) => ({ change })),
  );
  if (countPeople !== undefined) events.on('peopleChanged', ({ change }) => countPeople({ change }));
  events.on('peopleChanged', ({ change, vaultId, userId }) => {
    log.info({ component: 'members', event: change, vault: vaultId, user: userId }, 'people of a vault changed');
  });
  events.on('peopleChanged', ({ vaultId }) => collaboration.peopleChanged(vaultId));

  // Tools such as fail2ban read this line; docs/operations.md has its form.
  events.on('signInRefused', ({ address }) => {
    log.warn({ component: 'accounts', event: 'sign_in_refused', address }, 'wrong e-mail or password');
  });
  events.on('passkeyCounterWentBack', ({ userId, isSynced }) => {
    const event = isSynced ? 'passkey_counter_ignored' : 'passkey_copied';
    log.warn({ component: 'identities', event, user: userId }, 'the counter of a passkey went back');
  });
  events.on('credentialsChanged', ({ userId }) => collaboration.credentialsChanged(userId));
}
