import type { ActivityChange, DifferencePiece } from '@notevault/protocol/activity.ts';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/use-texts.ts';
import styles from './activity.module.css';

interface ChangeListProps {
  readonly vaultId: string;
  readonly changes: readonly ActivityChange[];
  /** Whether the changes are only proposed, so that paths do not lead anywhere yet. */
  readonly isPlan?: boolean;
}

/** Changes of entries, each with its difference word by word. */
export function ChangeList({ vaultId, changes, isPlan = false }: ChangeListProps) {
  const t = useTexts('activity');
  // An entry may have changed more than once.
  const keyed = changes.map((change, at) => ({ change, key: `${at} ${change.id}` }));
  return (
    <ul className={styles.list}>
      {keyed.map(({ change, key }) => (
        <li key={key}>
          <p>
            <span className={styles.op}>{t(`${isPlan ? 'plan' : 'op'}.${change.op}`)}</span>{' '}
            {change.from === undefined ? null : <span dir="auto">{change.from} → </span>}
            {isPlan ? <span dir="auto">{change.path}</span> : <Path vaultId={vaultId} change={change} />}
          </p>
          <Difference pieces={change.difference ?? []} />
        </li>
      ))}
    </ul>
  );
}

function Path({
  vaultId,
  change: { kind, id, op, path },
}: {
  readonly vaultId: string;
  readonly change: ActivityChange;
}) {
  if (kind === 'folder' || op === 'delete') return <span dir="auto">{path}</span>;
  const props = { dir: 'auto', children: path } as const;
  return kind === 'note' ? (
    <Link to="/vaults/$vaultId/notes/$noteId" params={{ vaultId, noteId: id }} {...props} />
  ) : (
    <Link to="/vaults/$vaultId/files/$fileId" params={{ vaultId, fileId: id }} {...props} />
  );
}

function Difference({ pieces }: { readonly pieces: readonly DifferencePiece[] }) {
  if (pieces.length === 0) return null;
  const keyed = pieces.map((piece, at) => ({ ...piece, key: `${at} ${piece.kind}` }));
  return (
    <p className={styles.difference} dir="auto">
      {keyed.map(({ key, kind, text }) => {
        if (kind === 'same') return text;
        return kind === 'added' ? <ins key={key}>{text}</ins> : <del key={key}>{text}</del>;
      })}
    </p>
  );
}
