import { isWanted, type Operation } from './operations.ts';
import type { Trees } from './trees.ts';

/** The reason why a plan needs the user's approval. */
export interface BrakeReason {
  /** The side whose files would be deleted, or nearly all overwritten. */
  readonly side: 'local' | 'remote';
  readonly kind: 'deletions' | 'everything changed';
  /** Number of affected files, including recent deletions. */
  readonly files: number;
  /** The number of files on that side, before the deletions. */
  readonly of: number;
}

/** Deletions of a side that were carried out a short while ago without having been approved. */
export interface RecentDeletions {
  readonly local: number;
  readonly remote: number;
}

const NO_DELETIONS: RecentDeletions = { local: 0, remote: 0 };

const DELETIONS_MAX = 20;
const SHARE_MAX = 0.1;
/** Fewer deletions than this never need approval: in a small folder they are a large share, and common. */
const FEW_DELETIONS = 5;
/** The overwrite check needs at least this many files: in smaller folders it is common that all of them change. */
const MANY_FILES = 10;
const CHANGED_SHARE = 0.9;

/**
 * Returns the reasons why a plan needs approval: it deletes more than 20 files of a side, or at least 5 that are more
 * than a tenth, or it overwrites nearly all of them. A rename is not a deletion. What was deleted a short while ago
 * counts too, so that a slow deletion of everything is noticed.
 */
export function brake(
  operations: readonly Operation[],
  { local, remote }: Trees,
  recent: RecentDeletions = NO_DELETIONS,
): BrakeReason[] {
  const count = (type: Operation['type'], isCounted: (operation: Operation) => boolean = () => true) =>
    operations.filter((operation) => operation.type === type && isCounted(operation)).length;
  const sides = [
    {
      side: 'local',
      of: local.files.length,
      deleted: count('deleteLocal'),
      changed: count('writeLocal', (operation) => operation.type === 'writeLocal' && operation.over !== null),
    },
    { side: 'remote', of: remote.files.length, deleted: count('deleteRemote'), changed: count('pushContent') },
  ] as const;
  return sides.flatMap(({ side, of, deleted, changed }): BrakeReason[] => {
    const [gone, before] = [deleted + recent[side], of + recent[side]];
    const tooMany = gone > DELETIONS_MAX || (gone >= FEW_DELETIONS && gone > SHARE_MAX * before);
    if (deleted > 0 && tooMany) return [{ side, kind: 'deletions', files: gone, of: before }];
    if (of >= MANY_FILES && changed > CHANGED_SHARE * of)
      return [{ side, kind: 'everything changed', files: changed, of }];
    return [];
  });
}

/**
 * Returns whether an operation waits for approval. Deletions wait alone; when nearly all files have changed, everything
 * on that side waits, because it may be another folder or another vault.
 */
export function isHeld(operation: Operation, brakes: readonly BrakeReason[]): boolean {
  return brakes.some(({ side, kind }) => {
    if (kind === 'deletions') return operation.type === (side === 'local' ? 'deleteLocal' : 'deleteRemote');
    // An operation on the local side is one that a sync which only pushes would leave out.
    return !isWanted(operation, side === 'local' ? 'push' : 'pull');
  });
}
