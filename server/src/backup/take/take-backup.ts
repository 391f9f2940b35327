import { MB } from '@notevault/protocol/values/byte-units.ts';
import { type Config, directUrlOf } from '../../config/config.ts';
import { databaseFile } from '../../data/data-folder.ts';
import { migrations } from '../../data/migrations.ts';
import { openSamples } from '../../data/sealed-samples.ts';
import { blobStoreOf, masterKeyFor, openBlobs, openDatabaseAsIs, sharedClock } from '../../open-ports.ts';
import { rechunk } from '../../ports/blobs/rechunk.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database, DatabaseSnapshot, Migration, SnapshotPart } from '../../ports/database/database.ts';
import { stepsLeft } from '../../ports/database/migrations.ts';
import { snapshotPostgres } from '../../ports/database/postgres/snapshot.ts';
import { snapshotSqlite } from '../../ports/database/sqlite/snapshot.ts';
import type { Keyring } from '../../ports/keyring/keyring.ts';
import { MasterKeyring } from '../../ports/keyring/master-key.ts';
import { wrapKey } from '../../ports/keyring/wrapped-key.ts';
import { isDamaged } from '../../telemetry/storage-state.ts';
import { version } from '../../version.ts';
import { partIn } from '../files.ts';
import {
  BackupError,
  backupName,
  DataDamaged,
  FORMAT,
  type ManifestBody,
  type ObjectKind,
  type ObjectRef,
  sha256,
  writeManifest,
} from '../format.ts';
import { cutRows, FILE_PIECE_BYTES } from '../pieces.ts';
import type { BackupSource } from '../read/source.ts';
import { damageLines, findDamagedRows } from '../verify/damaged-rows.ts';
import { type CopiedBlobs, copyBlobs, Pace } from './copy-blobs.ts';
import { BackupLease } from './lease.ts';

/** The destination of a backup. Nothing in it can be restored until `finish` has resolved. */
export interface BackupTarget extends AsyncDisposable {
  /** A folder for temporary files of this backup, on the disk to which `adopt` may move them. */
  readonly scratch: string;
  /** Whether the target has an object, so that it need not be written again. */
  has(kind: ObjectKind, object: ObjectRef): Promise<boolean>;
  /** Writes an object; one that the target has already, undamaged, is left as it is. */
  put(kind: ObjectKind, hash: string, bytes: Uint8Array): Promise<void>;
  /** Makes a file in `scratch` an object, and removes it there. */
  adopt(kind: ObjectKind, object: ObjectRef, file: string): Promise<void>;
  /** Writes the manifest; when it resolves, the backup survives a power cut. */
  finish(name: string, manifest: string): Promise<void>;
  /** Free bytes of the disk; null if it is not known. */
  freeBytes(): Promise<number | null>;
}

/** `rows` counts rows, `checking` seconds, and the others bytes. */
export type BackupStep = 'rows' | 'checking' | 'database' | 'attachments';

export interface BackupRequest {
  readonly config: Config;
  /** Opened for this backup; the caller closes it. */
  readonly target: BackupTarget;
  /** The previous backup in the same target: its blobs are not read again. */
  readonly previous: BackupSource | null;
  /** Puts the master key into the backup, under this passphrase. */
  readonly passphrase: string | null;
  readonly bytesPerSecond?: number;
  readonly clock?: Clock;
  /** Opens every sealed row before anything is copied, and takes no backup of data with damaged ones. */
  readonly deep?: boolean;
  /** Called often, with the current step and its progress. */
  readonly progress?: (step: BackupStep, done: number) => void;
  /** Refuses when a backup taken since this time ended well. */
  readonly due?: number;
}

export interface BackupSummary {
  readonly name: string;
  readonly manifest: ManifestBody;
}

const MANIFEST_MAC = 'backup manifest';
/** Tables that a server fills again by itself, and uploads that did not end. */
const LEFT_OUT = ['server_identity', 'upload_parts', 'uploads'];
/** Left free on the disk of the target, so that a backup does not stop the server beside it. */
const SPARE_BYTES = 256 * MB;

/**
 * Takes a backup while servers run: first a consistent snapshot of the database, then the blobs that it refers to,
 * which no process deletes meanwhile. A failure is recorded. Throws DataDamaged when the data is damaged, else
 * BackupError, KeyringError and the errors of the ports.
 */
export async function takeBackup(request: BackupRequest): Promise<BackupSummary> {
  const { config } = request;
  const clock = sharedClock(config, request.clock);
  await using opened = new AsyncDisposableStack();
  const db = opened.use(await openDatabaseAsIs(config, clock));
  const key = await masterKeyFor(config, db, clock, { unfinishedRotation: true });
  if (key.made) throw new BackupError('There is nothing to back up yet: the database is empty.');
  const keyring = new MasterKeyring(key.bytes, clock.random);
  const lease = opened.use(await BackupLease.acquire(db, clock, request.due));
  try {
    return await copyAll(request, { db, lease, clock, key: key.bytes, keyring });
  } catch (cause) {
    const error = isDamaged(cause)
      ? new DataDamaged(cause instanceof Error ? cause.message : String(cause), cause)
      : cause;
    await lease.failed(error instanceof DataDamaged ? 'damaged' : 'failed');
    throw error;
  }
}

interface CopyParts {
  readonly db: Database;
  readonly lease: BackupLease;
  readonly clock: Clock;
  readonly key: Buffer;
  readonly keyring: Keyring;
}

async function copyAll(request: BackupRequest, { db, lease, clock, key, keyring }: CopyParts): Promise<BackupSummary> {
  const { config, target, previous, passphrase, deep, progress: report } = request;
  await using opened = new AsyncDisposableStack();
  if (deep === true) await requireAllOpen(db, keyring, (rows) => report?.('rows', rows));
  const takenAt = new Date(clock.now());
  const snapshot = opened.use(await openSnapshot(request));
  const schema = await readSchema(snapshot, migrations);
  await requireSpace(request, snapshot);
  const pace = new Pace(request.bytesPerSecond ?? Number.POSITIVE_INFINITY);
  const database = await copyDatabase(request, snapshot, pace);
  const counts = await countRows(snapshot);
  const isApart = blobStoreOf(config).kind !== 'database';
  const blobs = isApart ? opened.use(await openBlobs(config, db, clock, false)) : null;
  const progress = (bytes: number) => report?.('attachments', bytes);
  const copied =
    blobs === null ? NO_BLOBS : await copyBlobs({ snapshot, blobs, target, previous, lease, pace, progress });
  lease.check();
  const manifest: ManifestBody = {
    format: FORMAT,
    taken_at: takenAt.toISOString(),
    version,
    engine: snapshot.engine,
    schema,
    master_key_id: keyring.masterKeyId,
    counts,
    database,
    blobs: { stored: isApart ? 'apart' : 'database', ...toWire(copied) },
    key: passphrase === null ? null : await wrapKey(key, passphrase, clock.random),
  };
  const name = backupName(takenAt);
  await target.finish(name, writeManifest(manifest, hmacOf(keyring)));
  await lease.succeeded(takenAt.getTime());
  return { name, manifest };
}

/** The HMAC of manifests, under a subkey of the master key. */
export function hmacOf(keyring: Keyring): (text: string) => Buffer {
  return (text) => keyring.mac(MANIFEST_MAC, text);
}

const NO_BLOBS: CopiedBlobs = { count: 0, bytes: 0, missing: [], lists: [] };
const toWire = ({ missing, lists, ...counts }: CopiedBlobs) => ({
  ...counts,
  missing: [...missing],
  lists: [...lists],
});

/** Throws DataDamaged unless every sealed row opens, which alone shows that the bytes of a value were changed. */
async function requireAllOpen(db: Database, keyring: Keyring, progress: (rows: number) => void): Promise<void> {
  const rows = await findDamagedRows(db, keyring, progress);
  const tried = rows.opened + rows.damaged;
  const values = await openSamples(db, keyring, true, (opened) => progress(tried + opened));
  const damaged = [...damageLines(rows), ...values.damaged.map((column) => `a value of ${column}`)];
  if (damaged.length > 0) throw new DataDamaged(`these do not open: ${damaged.join(', ')}`);
}

function openSnapshot({ config, target, bytesPerSecond, progress }: BackupRequest): Promise<DatabaseSnapshot> {
  const url = directUrlOf(config);
  if (url !== null) return snapshotPostgres(url, LEFT_OUT);
  const copy = partIn(target.scratch, 'database');
  const checking = (seconds: number) => progress?.('checking', seconds);
  return snapshotSqlite(databaseFile(config.dataDir), { copy, without: LEFT_OUT, bytesPerSecond, checking });
}

/** Refuses to begin what will not fit. Pieces that the last backup has already are not counted as saved. */
async function requireSpace({ target, previous }: BackupRequest, snapshot: DatabaseSnapshot): Promise<void> {
  const free = await target.freeBytes();
  if (free === null) return;
  const [database] = await snapshot.all(DATABASE_BYTES[snapshot.engine]);
  const [blobs] = await snapshot.all(
    "select coalesce(sum(size_bytes), 0) as bytes from attachment_blobs where state = 'committed'",
  );
  const there = previous?.manifest.body.blobs.bytes ?? 0;
  const needed = Number(database?.bytes ?? 0) + Math.max(0, Number(blobs?.bytes ?? 0) - there) + SPARE_BYTES;
  if (free >= needed) return;
  const mb = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;
  throw new BackupError(
    `The backup may need ${mb(needed)}, but its disk has only ${mb(free)} free. Nothing was written.`,
  );
}

const DATABASE_BYTES = {
  sqlite: 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
  postgres: 'select pg_database_size(current_database()) as bytes',
};

async function copyDatabase({ target, progress }: BackupRequest, snapshot: DatabaseSnapshot, pace: Pace) {
  const parts: ManifestBody['database'] = [];
  let copied = 0;
  for await (const part of snapshot.parts()) {
    const pieces: [hash: string, size: number][] = [];
    for await (const piece of cut(part)) {
      await pace.spend(piece.length);
      const hash = sha256(piece);
      await target.put('database', hash, piece);
      pieces.push([hash, piece.length]);
      copied += piece.length;
      progress?.('database', copied);
    }
    parts.push({ name: part.name, columns: part.columns === null ? null : [...part.columns], pieces });
  }
  return parts;
}

async function* cut({ columns, bytes }: SnapshotPart): AsyncGenerator<Uint8Array> {
  if (columns !== null) {
    yield* cutRows(bytes);
    return;
  }
  const buffer = Buffer.allocUnsafe(FILE_PIECE_BYTES);
  for await (const { bytes: piece } of rechunk(bytes, () => buffer)) yield piece;
}

async function countRows(snapshot: DatabaseSnapshot): Promise<ManifestBody['counts']> {
  const [row] =
    await snapshot.all(`select (select count(*) from users) as users, (select count(*) from vaults) as vaults,
    (select count(*) from entries where kind = 'note' and deleted_at is null) as notes,
    (select count(*) from entries where kind = 'attachment' and deleted_at is null) as attachments,
    (select count(*) from note_versions) as versions`);
  const count = (name: string) => Number(row?.[name] ?? 0);
  return {
    users: count('users'),
    vaults: count('vaults'),
    notes: count('notes'),
    attachments: count('attachments'),
    versions: count('versions'),
  };
}

/** Reads the schema steps of a snapshot. Throws SchemaError unless this version knows all of them. */
async function readSchema(snapshot: DatabaseSnapshot, migrations: readonly Migration[]) {
  const rows = await snapshot.all('select number, name, version from schema_migrations order by number');
  const steps = rows.map(({ number, name, version }) => {
    return { number: Number(number), name: String(name), version: String(version) };
  });
  stepsLeft(migrations, steps);
  return steps;
}
