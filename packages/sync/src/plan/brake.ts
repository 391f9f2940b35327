import type { Operation } from './operations.ts';
import type { Trees } from './trees.ts';

/** Why a plan waits for a person's yes. */
export interface BrakeReason {
  /** The side that would lose files, or have all of them written over. */
  readonly side: 'local' | 'remote';
  readonly kind: 'deletions' | 'everything changed';
  readonly files: number;
  /** How many files that side has. */
  readonly of: number;
}

const DELETIONS_MAX = 20;
const SHARE_MAX = 0.1;
/** In a small folder a few deletions are a large share, and nothing unusual. */
const FEW_DELETIONS = 5;
/** With fewer files it is common that all of them change. */
const MANY_FILES = 10;
const CHANGED_SHARE = 0.9;

/**
 * Tells a plan that a person has to agree to: one that deletes more than 20 files of a side, or more than a tenth and at
 * least 5, or writes over nearly all of them. Renames are no deletions: the plan has told them apart.
 */
export function brake(operations: readonly Operation[], { local, remote }: Trees): BrakeReason[] {
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
    const tooMany = deleted > DELETIONS_MAX || (deleted >= FEW_DELETIONS && deleted > SHARE_MAX * of);
    if (tooMany) return [{ side, kind: 'deletions', files: deleted, of }];
    if (of >= MANY_FILES && changed > CHANGED_SHARE * of)
      return [{ side, kind: 'everything changed', files: changed, of }];
    return [];
  });
}
