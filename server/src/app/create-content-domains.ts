import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { Context } from '../app.ts';
import { backupState } from '../backup/take/lease.ts';
import type { Tasks } from '../concurrency/task-worker.ts';
import { WorkerPool } from '../concurrency/worker-pool.ts';
import type { Config } from '../config/config.ts';
import { TASK_MEMORY_MB } from '../config/limits.ts';
import { createAttachments } from '../domains/content/attachments/attachments.ts';
import { defaultExtensions } from '../domains/content/attachments/uploads/extensions.ts';
import { createEntries, type Entries } from '../domains/content/entries/entries.ts';
import { TRASH_LIMITS } from '../domains/content/entries/trash/limits.ts';
import { createLinks, type Links, type StoredTexts } from '../domains/content/links/links.ts';
import { createNotes, type NoteMeta, type Notes } from '../domains/content/notes/notes.ts';
import { Personal } from '../domains/content/personal/personal.ts';
import { createActivity } from '../domains/reading/activity/activity.ts';
import { Search } from '../domains/reading/search/search.ts';
import { WorkerClient } from '../domains/reading/search/worker/worker-client.ts';
import { createSync } from '../domains/reading/sync/sync.ts';
import { OpenedValues } from '../ports/keyring/opened-values.ts';
import { DiskSpool } from '../ports/spool/disk.ts';
import { startThread } from '../program/program.ts';
import type { AccountDomains, ContentDomains, KeyDomains, Later } from './domains.ts';

/** Memory limit for the opened metas of notes that were read and of notes that their links point to. */
const OPENED_METAS_BYTES = 8 * MB;

type Before = KeyDomains & AccountDomains;

export function createContentDomains(context: Context, before: Before, later: Later): ContentDomains {
  const { ports, config, overrides } = context;
  const { db, blobs, clock } = ports;
  const { vaults, cache, keys, accounts, activityLog } = before;
  const extensions = config.attachmentExtensions ?? defaultExtensions;
  const opened = new OpenedValues<NoteMeta>(OPENED_METAS_BYTES);
  const compute = openComputePool();
  const texts: StoredTexts = {
    readableTextsOf: (handle, vault, of) => later().notes.readableTextsOf(handle, vault, of),
    linksIn: (vault, path, text) => later().notes.linksIn(vault, path, text),
    canvasText: (vault, file) => later().attachments.canvasText(vault, file),
  };
  const links = createLinks({ db, vaults, extensions, compute }, texts, opened);
  const entries = createEntries({
    db,
    clock,
    vaults,
    activity: activityLog,
    openSpool: () => new DiskSpool(config.dataDir, overrides.spoolBytes),
    trashDays: config.tombstoneDays,
    trashLimits: overrides.trashLimits ?? TRASH_LIMITS,
    handlerOf: (kind) => (kind === 'note' ? later().notes.kind : later().attachments.kind),
    hooks: links,
  });
  const notes = createNotesOf(context, before, entries, links, opened, compute);
  const attachments = createAttachments({
    db,
    blobs,
    entries,
    vaults,
    activity: activityLog,
    clock,
    extensions,
    hooks: links,
    backupRuns: async () => (await backupState(db, clock)).running,
  });
  const { tombstoneDays } = config;
  const sync = createSync({ db, clock, vaults, cache, entries, links, notes, attachments, tombstoneDays });
  const personal = new Personal({ db, keys, clock, accounts, entries, notes });
  const search = createSearch(context, before, notes, links);
  const activity = createActivity({ db, vaults, entries, notes, attachments });
  return { links, entries, notes, personal, attachments, sync, search, activity, compute };
}

function createNotesOf(
  { ports, config, log, overrides }: Context,
  { vaults, cache, activityLog: activity }: Before,
  entries: Entries,
  links: Links,
  opened: OpenedValues<NoteMeta>,
  compute: WorkerPool<Tasks>,
): Notes {
  const { db, bus, clock } = ports;
  return createNotes({
    db,
    entries,
    vaults,
    activity,
    cache,
    clock,
    retention: { hourlyDays: config.versionsHourlyDays, dailyDays: config.versionsDailyDays },
    bus,
    trialMs: overrides.trialMs,
    hooks: links,
    opened,
    compute,
    report: (error, labels) => log.error({ err: error, ...labels }, 'an edit waits to be flushed into its note'),
  });
}

function createSearch({ ports, config, log }: Context, { vaults }: Before, notes: Notes, links: Links): Search {
  const { db, clock, embedder } = ports;
  const threadFailed = (failure: string) => log.error({ failure }, 'the search thread failed');
  return new Search({
    db,
    clock,
    vaults,
    notes,
    links,
    plans: config.plans,
    embedder,
    worker: new WorkerClient(() => startSearchThread(config), threadFailed, clock),
    // Leaves the rest of the time to other work.
    rest: (ms, signal) => pause((ms * (100 - config.embedderShare)) / config.embedderShare, signal),
    reportError: (error) => log.error({ err: error }, 'background work of search failed'),
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms >= 1) await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/** One processor is left for the event loop. */
const COMPUTE_THREADS = Math.max(1, availableParallelism() - 1);
/** Makes the pool of threads for costly work; they are started on demand. */
function openComputePool(): WorkerPool<Tasks> {
  const options = { resourceLimits: { maxOldGenerationSizeMb: TASK_MEMORY_MB } };
  return new WorkerPool<Tasks>({
    start: () => startThread(scriptOf('compute-thread'), options),
    size: COMPUTE_THREADS,
  });
}

function startSearchThread({ searchMemoryMb }: Config): Worker {
  return startThread(scriptOf('search-thread'), {
    workerData: { maxBytes: searchMemoryMb * MB },
    // A thread that exceeds this limit ends alone and is started again.
    resourceLimits: { maxOldGenerationSizeMb: 2 * searchMemoryMb + 512 },
  });
}

/** The URL of the source, or of the compiled file. */
function scriptOf(name: string): URL {
  return new URL(`../${name}.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
}
