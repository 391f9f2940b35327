import type { ActivityChange, RecordedWrite } from '../../activity-log/activity-log.ts';
import type { WriteContext } from '../../entries/entries.ts';
import { lastVersionOf, type RowWrite, type VersionAuthors } from './write-target.ts';

const OPS = { new: 'create', live: 'edit', tombstone: 'restore' } as const;

/** Returns what a request, or a flush, writes, by author and kind of change. */
export function recordedWrites({ origin }: Pick<WriteContext, 'origin'>, plans: readonly RowWrite[]): RecordedWrite[] {
  const writes = plans.filter(changesText).flatMap((plan) => authorsOf(plan).flatMap((each) => changesBy(plan, each)));
  const alike = Map.groupBy(writes, ({ action, actor }) => JSON.stringify([action, actor]));
  return [...alike.values()].flatMap((same) => {
    const [first] = same;
    return first === undefined ? [] : [{ ...first, origin, changes: same.map(({ change }) => change) }];
  });
}

/** Edits that cancel each other out change only the document. */
function changesText({ target, next }: RowWrite): boolean {
  return target.kind !== 'live' || target.note.meta.hash !== next.meta.hash || (next.between ?? []).length > 0;
}

function authorsOf({ target, next }: RowWrite): readonly VersionAuthors[] {
  return next.authors ?? [{ actors: [next.meta.actor], before: lastVersionOf(target), version: next.version }];
}

function changesBy({ target, next: { id, path } }: RowWrite, { actors, before, version }: VersionAuthors) {
  const op = OPS[target.kind];
  const versions = target.kind === 'new' ? { version } : { before, version };
  const shared = actors.length > 1 ? { shared: true } : {};
  const change: ActivityChange = { op, kind: 'note', id, path, ...versions, ...shared };
  const action = op === 'restore' ? ('restore' as const) : ('write' as const);
  return actors.map((actor) => ({ action, actor, change }));
}
