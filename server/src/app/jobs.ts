import { runOnReserve } from '../concurrency/tenant.ts';
import type { Job } from '../jobs.ts';
import type { Ports } from '../open-ports.ts';
import type { Domains } from './domains.ts';
import { shortenTerms } from './terms.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Edits and documents are normally flushed on signals; this job finds what a signal missed. */
const FLUSH_MS = 5_000;
const ANALYTICS_MS = 10_000;
/** Interval of the check whether writes have paused, so that they can be indexed and embedded. */
const EMBED_MS = 1000;
/** How long a mail waits to be sent. */
const MAIL_MS = 1000;
/** How long an archive waits for its import to begin. */
const IMPORT_MS = 1000;
/** Links are normally resolved again right after the write that needs it; this job finds what a crash has left. */
const RESOLVE_MS = 10_000;

/** The background jobs of a server and their intervals. */
export function jobsOf(domains: Domains, { db, clock }: Pick<Ports, 'db' | 'clock'>): Job[] {
  const {
    mails,
    accounts,
    identities,
    vaults,
    members,
    idempotency,
    entries,
    notes,
    attachments,
    links,
    sync,
    search,
  } = domains;
  const { activityLog, credentials, oauth, devices, tickets, uploads, imports, publicLinks, logs, productEvents } =
    domains;
  return [
    { name: 'imports', everyMs: IMPORT_MS, run: (signal) => imports.runWaiting(signal) },
    { name: 'mails', everyMs: MAIL_MS, run: (signal) => mails.sendDue(signal) },
    { name: 'sign-ins', everyMs: MINUTE_MS, run: () => runOnReserve(() => accounts.sweepSignIns()) },
    { name: 'challenges', everyMs: HOUR_MS, run: () => runOnReserve(() => identities.sweep()) },
    { name: 'purge', everyMs: HOUR_MS, run: () => runOnReserve(() => vaults.purgeDue(clock.now())) },
    { name: 'analytics', everyMs: ANALYTICS_MS, run: () => productEvents.flush() },
    { name: 'answers', everyMs: HOUR_MS, run: () => idempotency.removeExpired() },
    { name: 'logs', everyMs: HOUR_MS, run: () => logs.removeExpired() },
    { name: 'activity', everyMs: HOUR_MS, run: () => runOnReserve(() => activityLog.removeExpired()) },
    { name: 'versions', everyMs: HOUR_MS, run: () => notes.thinVersions() },
    { name: 'edits', everyMs: FLUSH_MS, run: () => notes.live.flushOverdue() },
    { name: 'documents', everyMs: FLUSH_MS, run: () => notes.live.catchUp() },
    { name: 'links', everyMs: 10 * MINUTE_MS, run: (signal) => links.catchUp(signal) },
    { name: 'link targets', everyMs: RESOLVE_MS, run: (signal) => links.resolvePending(signal) },
    { name: 'blobs', everyMs: 10 * MINUTE_MS, run: () => runOnReserve(() => attachments.collect()) },
    { name: 'stray blobs', everyMs: 24 * HOUR_MS, run: () => attachments.collectOrphans() },
    { name: 'uses', everyMs: MINUTE_MS, run: () => credentials.flushLastUsed() },
    { name: 'oauth', everyMs: HOUR_MS, run: () => oauth.sweep() },
    { name: 'invitations', everyMs: HOUR_MS, run: () => members.invitations.sweep() },
    { name: 'public links', everyMs: HOUR_MS, run: () => runOnReserve(() => publicLinks.sweep()) },
    { name: 'tickets', everyMs: 10 * MINUTE_MS, run: () => runOnReserve(() => tickets.sweep()) },
    { name: 'uploads', everyMs: 10 * MINUTE_MS, run: () => runOnReserve(() => uploads.sweep()) },
    { name: 'devices', everyMs: HOUR_MS, run: () => devices.sweep() },
    { name: 'tombstones', everyMs: HOUR_MS, run: () => sync.dropExpired() },
    { name: 'trash', everyMs: 10 * MINUTE_MS, run: () => runOnReserve(() => entries.trash.trim()) },
    { name: 'indexes', everyMs: EMBED_MS, run: (signal) => search.indexInBackground(signal) },
    { name: 'vectors', everyMs: EMBED_MS, run: (signal) => search.embedInBackground(signal) },
    { name: 'unused vectors', everyMs: HOUR_MS, run: (signal) => search.dropUnusedVectors(signal) },
    { name: 'terms', everyMs: HOUR_MS, run: () => shortenTerms(db, clock) },
    { name: 'erase', everyMs: HOUR_MS, run: () => runOnReserve(() => accounts.resumeDeletions()) },
  ];
}
