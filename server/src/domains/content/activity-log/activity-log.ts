import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { type Static, Type } from 'typebox';
import { slicesOf } from '../../../concurrency/slices.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../../ports/database/database.ts';
import { type Immutable, SealedJson } from '../../../ports/keyring/sealed-json.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './activity-log.store.ts';
import { SEALED_ACTOR } from './actor.ts';

const text = Type.String();
const oneOf = <Text extends string>(...texts: Text[]) => Type.Unsafe<Text>(Type.Enum(texts));

const CHANGE = Type.Object({
  op: oneOf('create', 'edit', 'delete', 'move', 'restore'),
  kind: oneOf('note', 'attachment', 'folder'),
  id: text,
  path: text,
  /** Moves: the path before. */
  from: Type.Optional(text),
  /** Notes: the version before, and the one that was made. */
  before: Type.Optional(Type.Number()),
  version: Type.Optional(Type.Number()),
  /** Whether other people wrote the version too. */
  shared: Type.Optional(Type.Boolean()),
});
export type ActivityChange = Immutable<Static<typeof CHANGE>>;

const PEOPLE_CHANGE = Type.Object({
  change: oneOf('joined', 'role_changed', 'removed', 'left', 'handed_over'),
  userId: text,
});

export type RecordedPeopleChange = Static<typeof PEOPLE_CHANGE>['change'];

const DATA = Type.Object({
  actor: SEALED_ACTOR,
  changes: Type.Array(CHANGE),
  /** Number of notes whose links a move rewrote. */
  relinked: Type.Optional(Type.Number()),
  people: Type.Optional(PEOPLE_CHANGE),
  /** Undos: the item that was undone. */
  undoes: Type.Optional(text),
});
export type ActivityData = Immutable<Static<typeof DATA>>;

export type ActivityAction = 'write' | 'delete' | 'move' | 'restore' | 'import' | 'undo' | 'people' | 'purge';

/** An item that unites writes whenever they are made: an import, or the undo of an item. */
export interface ActivityOrigin {
  readonly action: 'import' | 'undo';
  readonly item: string;
  readonly undoes?: string;
}

export interface RecordedWrite extends Omit<ActivityData, 'undoes'> {
  readonly action: ActivityAction;
  readonly origin?: ActivityOrigin | undefined;
  /** The number of entries that changed, where the changes name only folders of them. */
  readonly count?: number;
}

/** A longer gap between two writes ends an item. */
const GAP_MS = 10 * 60_000;
/** Changes after which an item ends. */
const ITEM_CHANGES_MAX = 1000;
/** Maximum changes in a row; a larger deletion has several rows. */
const ROW_CHANGES_MAX = 500;
const KEPT_MS = 90 * 24 * 60 * 60_000;
const DELETED_AT_ONCE = 500;

const sealedData = new SealedJson(1, DATA);
const contextOf = (id: string) => ({ kind: 'activity.data', row: id, version: 0 });

/** Throws KeyringError. */
export function openActivity({ key }: Pick<OpenVault, 'key'>, id: string, data: Uint8Array): ActivityData {
  return sealedData.open(key, contextOf(id), data);
}

/** Returns the blind index of a person in the rows of a vault. */
export function activityPerson({ key }: Pick<OpenVault, 'key'>, userId: string): Buffer {
  return key.blind('activity person', userId);
}

export type { Actor } from './actor.ts';

export type ActivityLog = ReturnType<typeof createActivityLog>;

/** Records who did what in a vault. Rows are read, and undone, by the domain `activity`. */
export function createActivityLog({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
  return {
    /**
     * Appends what a transaction writes, in one statement, after the vault was locked. Writes of one person, credential
     * and program with gaps under ten minutes continue one item.
     */
    async append(handle: WriteHandle, vault: Pick<OpenVault, 'id' | 'key'>, writes: readonly RecordedWrite[]) {
      const rows = joined(vault, writes).flatMap(({ stretch, write }) => rowsOf(clock, vault, stretch, write));
      await handle.runMany(store.insertRows, { vault: vault.id }, rows);
    },
    async removeExpired(): Promise<void> {
      const until = clock.now() - KEPT_MS;
      const slice = (handle: WriteHandle) => handle.run(store.deleteExpired, { until, limit: DELETED_AT_ONCE });
      while ((await db.transact(slice)) > 0);
    },
    /** Deletes a slice of a purged vault's rows; resolves to true when more may be left. */
    purgeSlice: async (handle: WriteHandle, vault: VaultId): Promise<boolean> =>
      (await handle.run(store.purgeRows, { vault_id: vault, limit: DELETED_AT_ONCE })) > 0,
  };
}

interface JoinedWrite {
  readonly stretch: Buffer | null;
  readonly write: RecordedWrite;
}

/** Joins the writes of one stretch: requests that wait for each other share a transaction. */
function joined(vault: Pick<OpenVault, 'key'>, writes: readonly RecordedWrite[]): JoinedWrite[] {
  const all = writes.map((write): JoinedWrite => ({ write, stretch: stretchOf(vault, write) }));
  const stretches = Map.groupBy(all, (each) => each.stretch?.toString('hex') ?? each);
  return [...stretches.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    return [{ ...first, write: { ...first.write, changes: same.flatMap(({ write }) => write.changes) } }];
  });
}

/** The blind index of what a write continues; null for an item of its own. */
function stretchOf({ key }: Pick<OpenVault, 'key'>, { action, origin, actor }: RecordedWrite): Buffer | null {
  if (origin !== undefined) return key.blind('activity stretch', origin.item);
  if (action !== 'write') return null;
  const { kind, name, client, userId } = actor;
  return key.blind('activity stretch', JSON.stringify([kind, name, client ?? null, userId ?? null]));
}

function rowsOf(
  clock: Clock,
  vault: Pick<OpenVault, 'key'>,
  stretch: Buffer | null,
  { action, origin, count: total, ...data }: RecordedWrite,
): store.NewRow[] {
  const at = clock.now();
  const { actor, changes } = data;
  const slices = stretch !== null || changes.length === 0 ? [changes] : [...slicesOf(changes, ROW_CHANGES_MAX)];
  const undoes = origin?.undoes === undefined ? {} : { undoes: origin.undoes };
  let [first, counted] = [origin?.item, 0];
  return slices.map((slice) => {
    const id = clock.uuid();
    first ??= id;
    counted += slice.length;
    return {
      id,
      item: first,
      stretch,
      person: actor.userId === undefined ? null : activityPerson(vault, actor.userId),
      action: origin?.action ?? action,
      count: total ?? counted,
      at,
      data: sealedData.seal(vault.key, contextOf(id), { ...data, ...undoes, changes: slice }),
      after: origin === undefined ? at - GAP_MS : -1,
      most: origin === undefined ? ITEM_CHANGES_MAX : Number.MAX_SAFE_INTEGER,
    };
  });
}
